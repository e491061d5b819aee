#pragma once

#include <cerrno>
#include <system_error>

namespace pacbench {

/// Passes a system call's result through, or throws std::system_error naming the attempt.
template <typename Result>
Result check(const char* attempt, Result result) {
  if (result < 0) throw std::system_error{errno, std::generic_category(), attempt};
  return result;
}

}  // namespace pacbench
