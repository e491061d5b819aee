#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/message_socket.h"
#include "base/subprocess.h"
#include "contract/fabric/netd_protocol.h"

namespace pacbench {

/// A connection to a daemon: one of the test's own, which this object starts, or a shared one.
class DaemonClient {
 public:
  /// Starts `prefix... pacbench-netd --fd N`; the prefix may change user, PATH or namespaces.
  explicit DaemonClient(const std::vector<std::string>& prefix = {},
                        const std::string& program = PACBENCH_NETD);

  /// Starts a daemon, and asks it for a fabric as create() does.
  explicit DaemonClient(const netd::CreateRequest& request) : DaemonClient{} { create(request); }
  /// Uses the connection to a daemon that others share.
  explicit DaemonClient(UniqueFd connection) { connection_.emplace(std::move(connection)); }

  int pid() const { return daemon_.pid(); }
  const ChildProcess& process() const { return daemon_; }
  MessageSocket& connection() { return *connection_; }

  /// Sends a request and returns the next message, whatever it is; null when the daemon has gone.
  Json ask(const Json& request, const std::vector<int>& fds = {});
  /// Waits for the daemon's next message and returns it; null when the daemon has gone.
  Json next();
  /// Asks for a fabric. Throws, with the daemon's reply, when that is refused.
  netd::CreatedReply create(const netd::CreateRequest& request);

  /// Asks for the counters. Skips messages that come before the reply: ends of programs, steps of
  /// schedules.
  netd::CountersReply counters();

  void hang_up() { connection_.reset(); }
  ExitStatus wait() { return daemon_.wait(); }

  /// Runs a program in a worker's namespace to its end and returns what it wrote to stdout.
  std::string run_inside(int slot, const std::vector<std::string>& argv);
  /// Starts a program in a worker's namespace; its stdout goes to `out`.
  netd::SpawnedReply start_inside(int slot, const std::vector<std::string>& argv, int out,
                                  const std::vector<std::string>& environment = {});

 private:
  /// `message`, or the first message after it that is no event (a program's end, a step of a
  /// schedule).
  Json past_events(Json message);

  std::optional<MessageSocket> connection_;
  ChildProcess daemon_;
};

using netd::star;

/// Runs a command in the network namespace of a process; without root, in its user namespace too.
std::string run_in_namespace_of(int pid, std::vector<std::string> argv);

/// Why no fabric can be made here; empty when one can.
std::string no_fabric_reason();

std::string read_to_end(int fd);

}  // namespace pacbench

/// Skips the test, with the reason, where the kernel allows no network namespace.
#define REQUIRE_FABRIC()                                                   \
  if (const auto reason = pacbench::no_fabric_reason(); !reason.empty()) { \
    GTEST_SKIP() << reason;                                                \
  }
