#include "netem/service/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/check.h"
#include "base/files.h"

namespace pacbench::netem {
namespace {

using namespace std::chrono_literals;

// The kernel kills a process and all that it holds within milliseconds, unless the disk is slow.
constexpr int kEndTimeoutMs = 10'000;
// A fabric that its user has just given back may still be under way, and so may be the child of a
// killed service, which holds the lock until it serves.
constexpr auto kPatience = 2s;
constexpr auto kPoll = 20ms;

UniqueFd open_lock(const std::string& path) {
  return UniqueFd{check(path.c_str(), ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))};
}

void make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) < 0 && errno != EEXIST) check(path.c_str(), -1);
  struct stat found {};
  check(path.c_str(), ::lstat(path.c_str(), &found));
  if (S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() && (found.st_mode & 022) == 0) return;
  throw std::runtime_error{fmt::format(
      "{} is not a folder that belongs to user {} and that nobody else can write to; the journal "
      "cannot be there",
      path, ::geteuid())};
}

}  // namespace

Journal::Journal(std::string folder) : folder_{std::move(folder)} {
  make_folder(folder_);
  make_folder(folder_ + "/sessions");
  lock_ = open_lock(folder_ + "/lock");
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (::flock(lock_.get(), LOCK_EX | LOCK_NB) < 0) {
    if (std::chrono::steady_clock::now() > deadline) throw_taken();
    std::this_thread::sleep_for(kPoll);
  }
}

void Journal::throw_taken() const {
  throw std::runtime_error{fmt::format("another pacbench-netd keeps its journal in {}", folder_)};
}

void Journal::recover() {
  for (const auto& [path, entry] : netd::read_sessions(folder_)) {
    if (entry && entry->process.running()) {
      spdlog::warn("ending process {} of user {}, left by an earlier daemon", entry->process.pid,
                   entry->uid);
      if (!end_process(entry->process, kEndTimeoutMs)) {
        spdlog::error("process {} does not end", entry->process.pid);
        continue;
      }
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

void JournalEntry::claim(int workers, const Quota& quota) {
  const auto lock = open_lock(fmt::format("{}/user-{}.lock", folder_, entry_.uid));
  check("flock", ::flock(lock.get(), LOCK_EX));
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (auto reason = shortage(workers, quota); !reason.empty(); reason = shortage(workers, quota)) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error{reason};
    std::this_thread::sleep_for(kPoll);
  }
  entry_.workers = workers;
  write();
}

std::string JournalEntry::shortage(int workers, const Quota& quota) const {
  if (entry_.uid == 0) return {};
  int fabrics = 1;
  int all_workers = workers;
  for (const auto& [path, other] : netd::read_sessions(folder_)) {
    const bool counts = other && other->uid == entry_.uid && other->workers > 0;
    if (!counts || !other->process.running()) continue;
    ++fabrics;
    all_workers += other->workers;
  }
  if (fabrics <= quota.fabrics && all_workers <= quota.workers) return {};
  return fmt::format(
      "user {} would have {} fabrics with {} workers in all; this service allows {} with {}. End "
      "another run first, or ask the administrator for more",
      entry_.uid, fabrics, all_workers, quota.fabrics, quota.workers);
}

void JournalEntry::write() const {
  write_file_atomically(netd::session_path(folder_, entry_.process.pid), to_json(entry_).dump());
}

}  // namespace pacbench::netem
