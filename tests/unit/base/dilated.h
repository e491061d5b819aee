#pragma once

#include "base/clock.h"

namespace pacbench::testing {

/// Runs emulated time of this process slower as long as the object lives.
class Dilated {
 public:
  explicit Dilated(int factor) { time_dilation = factor; }
  Dilated(const Dilated&) = delete;
  Dilated& operator=(const Dilated&) = delete;
  ~Dilated() { time_dilation = 1; }
};

}  // namespace pacbench::testing
