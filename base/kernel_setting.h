#pragma once

#include <string>
#include <string_view>

namespace pacbench {

/// Gives a setting of the kernel (a file of /proc, /sys or a cgroup) its value, in one call to
/// write(), as such files want it. Throws std::system_error naming path and value.
void set_kernel_setting(const std::string& path, std::string_view value);

}  // namespace pacbench
