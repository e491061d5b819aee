#pragma once

#include <cstdint>
#include <string>

#include "probe/quota.h"

namespace pacbench::probe {

struct AnswerOptions {
  std::string bind = "0.0.0.0";
  std::uint16_t port = 0;
  AnswerLimits limits;
};

/// Takes and sends what `ask` of other hosts wants (probe/request.h), within limits, until standard
/// input ends.
void answer(const AnswerOptions& options);

}  // namespace pacbench::probe
