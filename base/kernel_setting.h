#pragma once

#include <string>
#include <string_view>

namespace pacbench {

/// Sets a setting of the kernel (a file of /proc, /sys or a cgroup). Writes the value in one call
/// to write(), as such files require. Throws std::system_error naming path and value.
void set_kernel_setting(const std::string& path, std::string_view value);

}  // namespace pacbench
