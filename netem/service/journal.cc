#include "netem/service/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/check.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/token_bucket.h"
#include "netem/plan/fabric_plan.h"

namespace pacbench::netem {
namespace {

using namespace std::chrono_literals;

// A killed process is gone, with all that it holds, within milliseconds, unless the disk is slow.
constexpr auto kEndTimeout = 10s;
// A fabric that its user has just given back may still be ending. So may a child of a killed
// service, which holds the journal's lock until it has closed the service's descriptors.
constexpr auto kPatience = 2s;
constexpr auto kPoll = 20ms;
constexpr std::int64_t kBytesPerMb = 1'000'000;
constexpr double kSecondsPerHour = 3600;

UniqueFd open_lock(const std::string& path) {
  return UniqueFd{check(path.c_str(), ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))};
}

/// Locks a file for as long as the returned descriptor is open.
UniqueFd locked(const std::string& path) {
  auto file = open_lock(path);
  check("flock", ::flock(file.get(), LOCK_EX));
  return file;
}

/// Whether there is a process of that PID. Asks by kill() and not in /proc: while a session's
/// process makes a fabric in its user's name, /proc hides this process from other sessions
/// (ProtectProc= of the unit).
bool exists(pid_t pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; }

/// Takes `count` namespaces from the user's budget, which is stored in the lock file. Throws
/// std::runtime_error when the budget is too small.
void take_namespaces(const UniqueFd& file, int count, const Quota& quota) {
  const double most = quota.namespaces_per_hour;
  const TokenBucket::Terms terms{most, most / kSecondsPerHour};
  const double now_s = seconds(monotonic_ns());
  auto state = TokenBucket::full(terms, now_s).state();
  // A new file is empty: pread() then leaves the full budget in `state`.
  check("read the budget", ::pread(file.get(), &state, sizeof state, 0));
  // The clock begins anew at each boot, so a file on a disk may hold a later time.
  if (state.at_s > now_s) state = TokenBucket::full(terms, now_s).state();
  TokenBucket budget{terms, state};
  if (count > quota.namespaces_per_hour) {
    throw std::runtime_error{fmt::format(
        "this fabric needs {} new network namespaces, but this service allows a user {} "
        "in an hour. Use fewer workers, or ask the administrator for more "
        "(--most-namespaces-per-hour)",
        count, quota.namespaces_per_hour)};
  }
  if (const double wait_s = budget.wait_s(count, now_s); wait_s > 0) {
    throw std::runtime_error{
        fmt::format("this service allows a user {} new network namespaces in an hour, and fewer "
                    "are left than this fabric needs. Try again in {:.0f} s, use fewer workers, or "
                    "ask the administrator for more (--most-namespaces-per-hour)",
                    quota.namespaces_per_hour, std::ceil(wait_s))};
  }
  budget.take(count, now_s);
  state = budget.state();
  check("write the budget", ::pwrite(file.get(), &state, sizeof state, 0));
}

void make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) < 0 && errno != EEXIST) check(path.c_str(), -1);
  struct stat found {};
  check(path.c_str(), ::lstat(path.c_str(), &found));
  if (S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() && (found.st_mode & 022) == 0) return;
  throw std::runtime_error{
      fmt::format("the journal cannot be in {}: expected a folder that belongs to user {} and that "
                  "nobody else can write to",
                  path, ::geteuid())};
}

}  // namespace

Journal::Journal(std::string folder) : folder_{std::move(folder)} {
  make_folder(folder_);
  make_folder(folder_ + "/sessions");
  lock_ = open_lock(folder_ + "/lock");
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (::flock(lock_.get(), LOCK_EX | LOCK_NB) < 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error{
          fmt::format("another pacbench-netd keeps its journal in {}; end it, or give another "
                      "folder with --state",
                      folder_)};
    }
    std::this_thread::sleep_for(kPoll);
  }
}

void Journal::recover() {
  const auto files = netd::read_sessions(folder_);
  // All processes are signalled first and then share one deadline, so that one that does not end
  // cannot hold up the rest.
  for (const auto& [path, entry] : files) {
    if (!entry || !entry->process.running()) continue;
    spdlog::warn("ending process {} of user {}, which an earlier daemon left", entry->process.pid,
                 entry->uid);
    end_process(entry->process, 0);
  }
  const auto deadline = std::chrono::steady_clock::now() + kEndTimeout;
  for (const auto& [path, entry] : files) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    const int left_ms = std::max(0, static_cast<int>(left.count()));
    if (entry && !end_process(entry->process, left_ms)) {
      spdlog::error("process {}, which an earlier daemon left, does not end", entry->process.pid);
      continue;
    }
    ::unlink(path.c_str());
  }
}

void Journal::forget(pid_t pid) {
  const auto path = netd::session_path(folder_, pid);
  ::unlink(path.c_str());
  ::unlink(unfinished_path(path, pid).c_str());
}

JournalEntry::JournalEntry(std::string folder, uid_t uid)
    : folder_{std::move(folder)}, entry_{ProcessIdentity::of(::getpid()).value(), uid, 0} {
  write();
}

void JournalEntry::claim(const netd::CreateRequest& request, const Quota& quota) {
  const auto before = entry_;
  auto wanted = entry_;
  wanted.workers = static_cast<int>(netd::workers_here(request).size());
  wanted.queue_bytes = queued_bytes(request);
  const auto lock = locked(fmt::format("{}/user-{}.lock", folder_, entry_.uid));
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (auto reason = try_claim(wanted, quota); !reason.empty(); reason = try_claim(wanted, quota)) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error{reason};
    std::this_thread::sleep_for(kPoll);
  }
  if (entry_.uid == 0) return;
  try {
    // Each worker needs a namespace. The switches' namespace exists already, but counts too: a
    // worker can hand it to a process outside the session.
    take_namespaces(lock, wanted.workers + 1, quota);
  } catch (...) {
    entry_ = before;
    write();
    throw;
  }
}

/// Makes `wanted` the entry and writes it. When that would exceed the quota, returns why instead;
/// else an empty text. All users share the lock, since the quota also counts users: otherwise two
/// users could take the last place at once.
std::string JournalEntry::try_claim(const netd::SessionEntry& wanted, const Quota& quota) {
  const auto lock = locked(folder_ + "/claims.lock");
  if (auto reason = shortage(wanted, quota); !reason.empty()) return reason;
  entry_ = wanted;
  write();
  return {};
}

std::string JournalEntry::shortage(const netd::SessionEntry& wanted, const Quota& quota) const {
  if (entry_.uid == 0) return {};
  int fabrics = 1;
  auto all = wanted;
  std::set<uid_t> users{wanted.uid};
  for (const auto& [path, other] : netd::read_sessions(folder_)) {
    if (!other || other->workers == 0 || !exists(other->process.pid)) continue;
    if (other->process.pid == entry_.process.pid) continue;  // an earlier request, which failed
    users.insert(other->uid);
    if (other->uid != entry_.uid) continue;
    ++fabrics;
    all.workers += other->workers;
    all.queue_bytes += other->queue_bytes;
  }
  if (quota.users > 0 && static_cast<int>(users.size()) > quota.users) {
    users.erase(wanted.uid);
    return fmt::format(
        "users {} have runs here, and this service allows runs of only {} users at a time. Try "
        "again when one of them has ended all runs, or ask the administrator to allow more users "
        "(--most-users, and TasksMax= of the service's unit)",
        fmt::join(users, ", "), quota.users);
  }
  if (fabrics > quota.fabrics || all.workers > quota.workers) {
    return fmt::format(
        "user {} would have {} fabrics with {} workers in all; this service allows at most {} "
        "fabrics with {} workers. End another run first, or ask the administrator for more",
        entry_.uid, fabrics, all.workers, quota.fabrics, quota.workers);
  }
  if (all.queue_bytes > quota.queue_mb * kBytesPerMb) {
    return fmt::format(
        "user {} would have queues of {} MB in front of links; this service allows {} MB. Use "
        "shorter queues (queue_kb), end another run first, or ask the administrator for more",
        entry_.uid, all.queue_bytes / kBytesPerMb, quota.queue_mb);
  }
  return {};
}

void JournalEntry::write() const {
  write_file_atomically(netd::session_path(folder_, entry_.process.pid), to_json(entry_).dump());
}

}  // namespace pacbench::netem
