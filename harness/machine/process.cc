#include "harness/machine/process.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "base/environment.h"

namespace pacbench {

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

}  // namespace pacbench
