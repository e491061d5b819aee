#include "netem/service/service.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "base/check.h"
#include "base/json/message_socket.h"
#include "contract/fabric/netd_protocol.h"
#include "netem/service/capabilities.h"

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

Listener make_listener(const ServiceOptions& options, const Admission& admission) {
  return options.listen.empty() ? Listener::inherited()
                                : Listener::at(options.listen, admission.gid());
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

}  // namespace

Service::Service(ServiceOptions options)
    : options_{std::move(options)},
      admission_{options_.group},
      journal_{options_.state},
      signals_{hold_back_signals()},
      listener_{make_listener(options_, admission_)} {
  require_service_capabilities();
  check("F_SETFL", ::fcntl(listener_.fd(), F_SETFL, O_NONBLOCK));
  journal_.recover();
  groups_ = make_groups(options_.limits);
}

Service::~Service() { end_all(); }

std::optional<Admitted> Service::run() {
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

std::optional<Admitted> Service::take_connection() {
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

std::string Service::refusal(const Caller& caller) const {
  if (auto reason = admission_.refusal(caller); !reason.empty()) return reason;
  const auto own = connections_of(caller.uid);
  const auto all = static_cast<std::ptrdiff_t>(children_.size());
  if (own < kMostOfUser && all < kMostOfAll) return {};
  return fmt::format(
      "this service has {} connections, {} of them of user {}; it allows {} in all and {} of one "
      "user. Try again when another run has ended",
      all, own, caller.uid, kMostOfAll, kMostOfUser);
}

std::ptrdiff_t Service::connections_of(uid_t user) const {
  return std::count_if(children_.begin(), children_.end(),
                       [&](const auto& child) { return child.second.uid == user; });
}

std::optional<Admitted> Service::serve(Admitted admitted) {
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

void Service::enter_child(pid_t parent) {
  children_.clear();  // they are siblings of this child
  listener_.leave();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const auto set = own_signals();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void Service::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    journal_.forget(pid);
    const auto child = children_.extract(pid);
    if (groups_ && child && connections_of(child.mapped().uid) == 0) {
      groups_->remove(child.mapped().uid);
    }
  }
}

void Service::end_overdue() {
  for (const auto& [pid, child] : children_) {
    if (Clock::now() < child.latest_end) continue;
    spdlog::warn("process {} of user {} has lasted longer than --most-hours allows and is killed",
                 pid, child.uid);
    ::kill(pid, SIGKILL);
  }
}

void Service::end_all() {
  end_children(SIGTERM, kTeardown);
  for (const auto& [pid, child] : children_) {
    spdlog::warn("process {} of user {} does not end and is killed", pid, child.uid);
  }
  end_children(SIGKILL, kKilled);  // the next service ends what is still left
}

void Service::end_children(int signal, Clock::duration patience) {
  for (const auto& [pid, child] : children_) ::kill(pid, signal);
  const auto deadline = Clock::now() + patience;
  for (; !children_.empty() && Clock::now() < deadline; reap()) std::this_thread::sleep_for(5ms);
}

}  // namespace pacbench::netem
