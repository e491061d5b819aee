#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "base/unique_fd.h"
#include "netem/kernel/net_namespace.h"
#include "netem/session/credentials.h"

namespace pacbench::netem {

/// Throws std::runtime_error when one of the descriptors is of a file that another program or host
/// serves (FUSE, 9p, NFS, SMB, Ceph, AFS). A program that waits for such a file cannot be killed,
/// and so could not be ended with its session. Pipes, sockets, terminals, files in memory and on
/// this machine's disks may be given.
void refuse_served_files(const std::vector<UniqueFd>& fds);

/// A program to start in a worker's namespace.
struct WorkerProgram {
  std::vector<std::string> argv;         ///< argv[0] is an absolute path
  std::vector<std::string> environment;  ///< all of it
  std::vector<UniqueFd> fds;             ///< become 0, 1, 2, ...; nothing else stays open
  Caller caller;
  UniqueFd mount_namespace;  ///< in which the program runs; none: that of the daemon
  int cgroup = -1;           ///< cgroup.procs of the program's cgroup, open for writing; -1: none
  /// The program's slot among `slots`, if it is to have the namespaces of
  /// netem/session/own_namespaces.h.
  struct Apart {
    int slot;
    int slots;
  };
  std::optional<Apart> apart = {};
};

struct StartedWorker {
  ChildProcess process;
  std::string not_apart;  ///< what the kernel refused of the program's own namespaces; often empty
};

/// Starts the program as the caller, without capabilities and with default signal handling. The
/// program is killed when this process dies. Throws std::runtime_error naming the step that failed;
/// a failed exec is reported so too.
StartedWorker start_worker(const WorkerProgram& program, const NetNamespace& inside);

}  // namespace pacbench::netem
