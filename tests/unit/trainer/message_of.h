#pragma once

#include <exception>
#include <string>

namespace pacbench::trainer::test {

/// Returns the words of a failure; empty where there is none.
inline std::string message_of(const std::exception_ptr& failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace pacbench::trainer::test
