#include "harness/machine/process.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "base/check.h"
#include "base/environment.h"

namespace pacbench {
namespace {

std::optional<ProcessEntry> read_entry(const std::filesystem::path& folder) {
  std::ifstream file{folder / "status"};
  if (!file) return std::nullopt;
  ProcessEntry entry;
  entry.pid = std::atoi(folder.filename().c_str());
  for (std::string line; std::getline(file, line);) {
    std::istringstream words{line};
    std::string key;
    words >> key;
    if (key == "Name:") words >> entry.name;
    if (key == "State:") words >> entry.state;
    if (key == "PPid:") words >> entry.parent;
    if (key == "NSpid:") {
      while (words >> entry.innermost_pid) continue;
    }
  }
  return entry;
}

bool descends_from(const std::map<int, ProcessEntry>& table, int pid, int ancestor) {
  while (pid > 1 && pid != ancestor) {
    const auto entry = table.find(pid);
    pid = entry == table.end() ? 0 : entry->second.parent;
  }
  return pid == ancestor;
}

std::int64_t oom_kills() {
  std::ifstream counters{"/proc/vmstat"};
  std::string name;
  std::int64_t count = 0;
  while (counters >> name >> count) {
    if (name == "oom_kill") return count;
  }
  return 0;
}

}  // namespace

std::vector<std::string> minimal_environment() {
  // The list also has the variables that lead to a GPU and its driver, and NCCL_DEBUG, which sets
  // how much NCCL prints.
  return inherited_environment({"PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
                                "CUDA_DEVICE_ORDER", "CUDA_CACHE_PATH", "CUDA_MPS_PIPE_DIRECTORY",
                                "CUDA_MPS_LOG_DIRECTORY", "NCCL_DEBUG"});
}

UniqueFd memory_file(const char* name, std::int64_t bytes) {
  UniqueFd fd{check("memfd_create", ::memfd_create(name, MFD_CLOEXEC))};
  check("size a memory file", ::ftruncate(fd.get(), bytes));
  return fd;
}

std::string text_in(int memory_file) {
  std::string text(static_cast<std::size_t>(::lseek(memory_file, 0, SEEK_END)), '\0');
  const auto count = ::pread(memory_file, text.data(), text.size(), 0);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

std::string last_lines(const std::string& text, std::size_t count) {
  std::string result;
  auto end = text.size();
  while (end > 0 && count > 0) {
    if (text[end - 1] == '\n') {
      --end;
      continue;
    }
    const auto newline = text.rfind('\n', end - 1);
    const auto start = newline == std::string::npos ? 0 : newline + 1;
    if (!result.empty()) result.insert(0, " | ");
    result.insert(0, text, start, end - start);
    end = start;
    --count;
  }
  return result;
}

std::vector<ProcessEntry> read_process_table() {
  std::vector<ProcessEntry> table;
  std::error_code ignored;
  for (const auto& folder : std::filesystem::directory_iterator{"/proc", ignored}) {
    const auto name = folder.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (auto entry = read_entry(folder.path())) table.push_back(std::move(*entry));
  }
  return table;
}

bool is_stopped(int ancestor, int pid) {
  std::map<int, ProcessEntry> table;
  for (auto& entry : read_process_table()) table[entry.pid] = std::move(entry);
  return std::any_of(table.begin(), table.end(), [&](const auto& item) {
    const auto& entry = item.second;
    return (entry.pid == pid || entry.innermost_pid == pid) &&
           (entry.state == 'T' || entry.state == 't') && descends_from(table, entry.pid, ancestor);
  });
}

OomWatch::OomWatch() : before_{oom_kills()} {}

std::string OomWatch::words(const ExitStatus& status) const {
  if (status.signal != SIGKILL || oom_kills() == before_) return {};
  return ", probably from the kernel, which had no memory left; use fewer workers, a smaller model "
         "or batch, or more memory";
}

}  // namespace pacbench
