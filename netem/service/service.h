#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "netem/service/admission.h"
#include "netem/service/journal.h"
#include "netem/service/listener.h"
#include "netem/service/user_groups.h"

namespace pacbench::netem {

struct ServiceOptions {
  std::string listen;  ///< path of the socket; empty: it comes from systemd
  std::string group = "pacbench";
  std::string state = netd::kServiceState;
  Quota quota;
  GroupLimits limits;
  std::vector<std::string> uplinks;  ///< interfaces of the host that users' links may lead to
};

/// A connection that has been let in.
struct Admitted {
  UniqueFd connection;
  Caller caller;
  UniqueFd group;  ///< cgroup that the caller's workers join (UserGroups::open); none: the daemon's
};

/// A daemon that several users share. It admits and counts connections, and ends those that outlive
/// their time. A child process of its own serves each connection, as a private daemon would.
class Service {
 public:
  /// Opens its socket and its journal, and clears up after an earlier service. Throws
  /// std::runtime_error when it lacks a capability that its children need.
  explicit Service(ServiceOptions options);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  /// Serves until SIGTERM or SIGINT and then returns nothing. Returns in every child too, with
  /// the connection that the child is to serve.
  std::optional<Admitted> run();

 private:
  using Clock = std::chrono::steady_clock;

  /// A child process that serves one connection. `children_` holds them by PID.
  struct Child {
    uid_t uid;
    Clock::time_point latest_end;
  };

  std::optional<Admitted> take_connection();
  std::string refusal(const Caller& caller) const;
  std::optional<Admitted> serve(Admitted admitted);
  void enter_child(pid_t parent);
  void reap();
  std::ptrdiff_t connections_of(uid_t user) const;
  void end_overdue();
  void end_all();
  void end_children(int signal, Clock::duration patience);

  ServiceOptions options_;
  Admission admission_;
  Journal journal_;
  UniqueFd signals_;
  Listener listener_;
  std::optional<UserGroups> groups_;  ///< nothing: no user's workers are limited
  std::map<pid_t, Child> children_;
};

}  // namespace pacbench::netem
