#pragma once

#include <cerrno>
#include <system_error>

namespace pacbench {

/// Returns a system call's result. When the result is negative, throws std::system_error naming the
/// attempt.
template <typename Result>
Result check(const char* attempt, Result result) {
  if (result < 0) throw std::system_error{errno, std::generic_category(), attempt};
  return result;
}

}  // namespace pacbench
