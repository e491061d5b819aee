#include "harness/doctor/leftovers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "base/unix_socket.h"

namespace pacbench::doctor {
namespace {

constexpr int kEndTimeoutMs = 10'000;

std::optional<struct stat> status_of(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0) return found;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw std::system_error{errno, std::generic_category(), path};
}

/// The process that an entry names, if it still runs and is provably the same one: process number,
/// start time and owner are equal.
std::optional<ProcessIdentity> proved(const netd::SessionFile& file) {
  if (!file.entry || !file.entry->process.running()) return std::nullopt;
  const auto entry = status_of(file.path);
  const auto process = status_of(fmt::format("/proc/{}", file.entry->process.pid));
  if (!entry || !process || entry->st_uid != process->st_uid) return std::nullopt;
  return file.entry->process;
}

}  // namespace

Leftovers::Leftovers(const std::string& state_folder, const std::string& socket) {
  const auto folder = status_of(state_folder);
  if (!folder) return;
  const auto path = state_folder + "/lock";
  lock_.reset(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!lock_ && errno != ENOENT) throw std::system_error{errno, std::generic_category(), path};
  in_use_ = lock_ && ::flock(lock_.get(), LOCK_EX | LOCK_NB) < 0;
  if (in_use_) return;
  for (const auto& file : netd::read_sessions(state_folder)) look_at_entry(file);
  look_at_socket(socket, folder->st_uid);
}

void Leftovers::look_at_entry(const netd::SessionFile& file) {
  const auto process = proved(file);
  const auto what =
      process ? fmt::format("process {} of a daemon that has ended (it served user {})",
                            process->pid, file.entry->uid)
              : fmt::format(
                    "the journal entry {}; no running process is provably the one that it names",
                    file.path);
  items_.push_back({what, process, file.path});
}

void Leftovers::look_at_socket(const std::string& path, uid_t owner) {
  const auto found = status_of(path);
  if (!found || !S_ISSOCK(found->st_mode) || found->st_uid != owner) return;
  if (!nobody_listens(path)) return;
  items_.push_back({fmt::format("the socket {}, at which nobody listens", path), {}, path});
}

void Leftovers::remove(const Item& item) {
  if (item.process && !end_process(*item.process, kEndTimeoutMs)) {
    throw std::runtime_error{fmt::format("it did not end within {} s", kEndTimeoutMs / 1000)};
  }
  std::filesystem::remove(item.path);
}

}  // namespace pacbench::doctor
