#include "probe/others.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace pacbench::probe {
namespace {

constexpr std::int64_t kOfKernel = 0x00200000;  // PF_KTHREAD, linux/sched.h
constexpr const char* kDaemon = "pacbench-netd";

}  // namespace

ProcessStat process_stat(const std::string& text) {
  // "PID (NAME) STATE PPID pgrp session tty tpgid FLAGS minflt cminflt majflt cmajflt UTIME STIME
  // CUTIME CSTIME ..."; a name may hold brackets.
  ProcessStat stat;
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return stat;
  stat.name = text.substr(open + 1, close - open - 1);
  std::istringstream words{text.substr(close + 1)};
  std::string state;
  std::int64_t skipped = 0;
  std::int64_t flags = 0;
  words >> state >> stat.parent;
  for (int i = 0; i < 4; ++i) words >> skipped;
  words >> flags;
  for (int i = 0; i < 4; ++i) words >> skipped;
  for (int i = 0; i < 4; ++i) {
    std::int64_t ticks = 0;
    words >> ticks;
    stat.ticks += ticks;
  }
  if (!words) return {};
  stat.of_kernel = (flags & kOfKernel) != 0;
  return stat;
}

OthersTime::OthersTime(pid_t root) : root_{root} { last_ticks_ = sum_ticks(); }

std::int64_t OthersTime::take_ns() {
  const auto ticks = sum_ticks();
  // The sum falls where a process ended for which nobody waited.
  const auto more = std::max<std::int64_t>(0, ticks - last_ticks_);
  last_ticks_ = ticks;
  return more * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
}

std::int64_t OthersTime::sum_ticks() {
  std::map<pid_t, Process> found;
  std::map<pid_t, std::int64_t> ticks;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc", unreadable}) {
    const auto name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc{} || end != name.data() + name.size()) continue;
    // A process that does not count keeps its place as long as its number is there.
    if (const auto known = processes_.find(pid);
        known != processes_.end() && !known->second.counts) {
      found.insert(*known);
      continue;
    }
    std::string text;
    std::getline(std::ifstream{entry.path() / "stat"}, text);
    const auto stat = process_stat(text);
    if (stat.name.empty()) continue;  // it has ended meanwhile
    const bool is_own = pid == root_ || stat.name == kDaemon || stat.of_kernel;
    found[pid] = {stat.parent, !is_own};
    ticks[pid] = stat.ticks;
  }
  // A process below an own one is own. Numbers need not ascend from parent to child, so this goes
  // on until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [pid, process] : found) {
      const auto parent = found.find(process.parent);
      if (!process.counts || parent == found.end() || parent->second.counts) continue;
      if (process.parent == 2) continue;
      process.counts = false;
      changed = true;
    }
  }
  processes_ = std::move(found);
  std::int64_t sum = 0;
  for (const auto& [pid, process] : processes_) {
    if (process.counts) sum += ticks[pid];
  }
  return sum;
}

}  // namespace pacbench::probe
