#pragma once

#include <chrono>
#include <thread>

namespace pacbench {

/// Waits until `condition` holds, for at most `timeout_s`; returns whether it does.
template <typename Condition>
bool eventually(Condition condition, double timeout_s = 20) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return true;
}

}  // namespace pacbench
