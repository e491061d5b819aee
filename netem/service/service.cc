#include "netem/service/service.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <stdexcept>
#include <thread>

#include "base/check.h"
#include "base/json/message_socket.h"
#include "contract/fabric/netd_protocol.h"
#include "netem/service/listener.h"

namespace pacbench::netem {
namespace {

using namespace std::chrono_literals;

// The most connections, with and without a fabric. More come from a mistake or an attack.
constexpr std::ptrdiff_t kMostOfAll = 256;
constexpr std::ptrdiff_t kMostOfUser = 32;
// A child ends by itself when its time is up, unless a descriptor from its client blocks it.
constexpr auto kGrace = 30s;
constexpr auto kTeardown = 20s;
constexpr auto kKilled = 5s;       // for the kernel to end a child, and all that it holds
constexpr auto kShortage = 100ms;  // pause when no descriptor is free; the connection waits
constexpr int kTickMs = 1000;

constexpr std::array<std::pair<int, const char*>, 7> kNeeded{{
    {CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},    // making and entering namespaces
    {CAP_NET_ADMIN, "CAP_NET_ADMIN"},    // links and shapers in them
    {CAP_SYS_CHROOT, "CAP_SYS_CHROOT"},  // entering a caller's mount namespace
    {CAP_SETUID, "CAP_SETUID"},          // becoming the caller
    {CAP_SETGID, "CAP_SETGID"},
    {CAP_SETPCAP, "CAP_SETPCAP"},  // giving up everything else for good
    {CAP_KILL, "CAP_KILL"},        // ending programs that run as the caller
}};

/// Throws std::runtime_error, naming them, when this process lacks capabilities that a daemon for
/// other users needs.
void require_service_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> held{};
  check("capget", ::syscall(SYS_capget, &header, held.data()));
  std::vector<std::string> lacking;
  for (const auto& [capability, name] : kNeeded) {
    const auto word = held[static_cast<std::size_t>(CAP_TO_INDEX(capability))].effective;
    if ((word & CAP_TO_MASK(capability)) == 0) lacking.emplace_back(name);
  }
  if (lacking.empty()) return;
  throw std::runtime_error{
      fmt::format("pacbench-netd lacks {}, which it needs to serve other users; start it by its "
                  "unit pacbench-netd.service, which grants them",
                  fmt::join(lacking, ", "))};
}

/// The number of a group, which is given by its name or number. Throws std::runtime_error when
/// there is no such group.
gid_t gid_of(const std::string& group) {
  gid_t number = 0;
  const char* const end = group.data() + group.size();
  if (const auto [rest, error] = std::from_chars(group.data(), end, number);
      error == std::errc{} && rest == end) {
    return number;
  }
  const auto* found = ::getgrnam(group.c_str());
  if (found != nullptr) return found->gr_gid;
  throw std::runtime_error{
      fmt::format("there is no group \"{}\"; make it: groupadd --system {}", group, group)};
}

/// Says why the caller may not connect, and what to do, for a person; empty when the caller may.
/// Admits root and members of the group: the caller's groups are those of its process when it
/// connected. While no group has this name, only root is admitted.
std::string not_admitted(const Caller& caller, const std::string& group_name) {
  if (caller.uid == 0) return {};
  try {
    const auto group = gid_of(group_name);
    const auto& groups = caller.groups;
    if (caller.gid == group || std::ranges::find(groups, group) != groups.end()) return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return fmt::format(
      "user {} is not in the group \"{}\", whose members may use this service. Ask the "
      "administrator for `usermod -aG {} NAME`, and log in again",
      caller.uid, group_name, group_name);
}

Listener make_listener(const ServiceOptions& options) {
  return options.listen.empty() ? Listener::inherited()
                                : Listener::at(options.listen, gid_of(options.group));
}

sigset_t own_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGCHLD}) ::sigaddset(&set, number);
  return set;
}

/// Blocks the service's signals and returns a descriptor to read them from. This must be done
/// before the socket is made, because whoever sees the socket may send such a signal.
int hold_back_signals() {
  const auto set = own_signals();
  check("sigprocmask", ::sigprocmask(SIG_BLOCK, &set, nullptr));
  return check("signalfd", ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

/// The users' cgroups; nothing where no limit is asked for or where limits are not possible.
std::optional<UserGroups> make_groups(const GroupLimits& limits) {
  if (!limits.any()) return std::nullopt;
  try {
    return UserGroups{cgroup_of("/proc/self"), limits};
  } catch (const std::runtime_error& error) {
    spdlog::warn("nothing limits the memory and the tasks of a user's workers: {}", error.what());
    return std::nullopt;
  }
}

/// Sends the reason and closes the connection. A peer that does not read cannot block the service.
void refuse(UniqueFd connection, const std::string& reason) {
  spdlog::warn("refused: {}", reason);
  ::fcntl(connection.get(), F_SETFL, O_NONBLOCK);
  try {
    MessageSocket{std::move(connection)}.send(netd::error_reply(reason));
  } catch (const std::system_error&) {
  }
}

/// A daemon that several users share. It admits and counts connections, and ends those that outlive
/// their time. A child process of its own serves each connection, as a private daemon would.
class Service {
 public:
  /// Opens its socket and its journal, and clears up after an earlier service.
  explicit Service(const ServiceOptions& options)
      : options_{options},
        journal_{options_.state},
        signals_{hold_back_signals()},
        listener_{make_listener(options_)} {
    require_service_capabilities();
    check("F_SETFL", ::fcntl(listener_.fd(), F_SETFL, O_NONBLOCK));
    journal_.recover();
    groups_ = make_groups(options_.limits);
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() {
    end_children(SIGTERM, kTeardown);
    for (const auto& [pid, child] : children_) {
      spdlog::warn("process {} of user {} does not end and is killed", pid, child.uid);
    }
    end_children(SIGKILL, kKilled);  // the next service ends what is still left
  }

  std::optional<Admitted> run() {
    std::array<pollfd, 2> polls{{{listener_.fd(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
    for (;;) {
      ::poll(polls.data(), polls.size(), kTickMs);
      signalfd_siginfo signal{};
      while (::read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
        if (signal.ssi_signo != SIGCHLD) return std::nullopt;
      }
      reap();
      end_overdue();
      if (auto admitted = take_connection()) return admitted;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// A child process that serves one connection. `children_` holds them by PID.
  struct Child {
    uid_t uid;
    Clock::time_point latest_end;
  };

  std::optional<Admitted> take_connection() {
    UniqueFd connection{::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!connection) {
      if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(kShortage);
      return std::nullopt;
    }
    try {
      Admitted admitted{std::move(connection), {}, {}};
      admitted.caller = Caller::of(admitted.connection.get());
      if (const auto reason = refusal(admitted.caller); !reason.empty()) {
        refuse(std::move(admitted.connection), reason);
        return std::nullopt;
      }
      return serve(std::move(admitted));
    } catch (const std::system_error& error) {
      spdlog::error("a connection was dropped: {}", error.what());
      return std::nullopt;
    }
  }

  std::string refusal(const Caller& caller) const {
    if (auto reason = not_admitted(caller, options_.group); !reason.empty()) return reason;
    const auto own = connections_of(caller.uid);
    const auto all = static_cast<std::ptrdiff_t>(children_.size());
    if (own < kMostOfUser && all < kMostOfAll) return {};
    return fmt::format(
        "this service has {} connections, {} of them of user {}; it allows {} in all and {} of one "
        "user. Try again when another run has ended",
        all, own, caller.uid, kMostOfAll, kMostOfUser);
  }

  std::ptrdiff_t connections_of(uid_t user) const {
    return std::count_if(children_.begin(), children_.end(),
                         [&](const auto& child) { return child.second.uid == user; });
  }

  std::optional<Admitted> serve(Admitted admitted) {
    if (groups_ && admitted.caller.uid != 0) admitted.group = groups_->open(admitted.caller.uid);
    const pid_t parent = ::getpid();
    const pid_t pid = check("fork", ::fork());
    if (pid == 0) {
      enter_child(parent);
      return admitted;
    }
    spdlog::info("process {} serves user {}", pid, admitted.caller.uid);
    const std::chrono::duration<double, std::ratio<3600>> limit{options_.quota.hours};
    children_[pid] = {admitted.caller.uid,
                      Clock::now() + std::chrono::duration_cast<Clock::duration>(limit) + kGrace};
    return std::nullopt;
  }

  void enter_child(pid_t parent) {
    children_.clear();  // they are siblings of this child
    listener_.leave();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    const auto set = own_signals();
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  }

  void reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      journal_.forget(pid);
      const auto child = children_.extract(pid);
      if (groups_ && child && connections_of(child.mapped().uid) == 0) {
        groups_->remove(child.mapped().uid);
      }
    }
  }

  void end_overdue() {
    for (const auto& [pid, child] : children_) {
      if (Clock::now() < child.latest_end) continue;
      spdlog::warn("process {} of user {} has lasted longer than --most-hours allows and is killed",
                   pid, child.uid);
      ::kill(pid, SIGKILL);
    }
  }

  void end_children(int signal, Clock::duration patience) {
    for (const auto& [pid, child] : children_) ::kill(pid, signal);
    const auto deadline = Clock::now() + patience;
    for (; !children_.empty() && Clock::now() < deadline; reap()) std::this_thread::sleep_for(5ms);
  }

  const ServiceOptions& options_;
  Journal journal_;
  UniqueFd signals_;
  Listener listener_;
  std::optional<UserGroups> groups_;  ///< nothing: no user's workers are limited
  std::map<pid_t, Child> children_;
};

}  // namespace

std::optional<Admitted> next_connection(const ServiceOptions& options) {
  Service service{options};
  return service.run();
}

}  // namespace pacbench::netem
