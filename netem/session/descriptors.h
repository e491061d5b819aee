#pragma once

#include <vector>

#include "base/unique_fd.h"

namespace pacbench::netem {

/// Throws std::runtime_error when one of the descriptors is of a file that another program or host
/// serves (FUSE, 9p, NFS, SMB, Ceph, AFS). A program that waits for such a file cannot be killed,
/// and so could not be ended with its session. Pipes, sockets, terminals, files in memory and on
/// this machine's disks may be given.
void refuse_served_files(const std::vector<UniqueFd>& fds);

}  // namespace pacbench::netem
