#include "base/kernel_setting.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/check.h"
#include "base/unique_fd.h"

namespace pacbench {

void set_kernel_setting(const std::string& path, std::string_view value) {
  const auto attempt = fmt::format("setting {} to \"{}\"", path, value);
  const UniqueFd file{check(attempt.c_str(), ::open(path.c_str(), O_WRONLY | O_CLOEXEC))};
  check(attempt.c_str(), ::write(file.get(), value.data(), value.size()));
}

}  // namespace pacbench
