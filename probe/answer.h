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

/// Receives and sends the traffic that `ask` on other hosts requests (probe/request.h), within
/// limits, until standard input ends.
void answer(const AnswerOptions& options);

}  // namespace pacbench::probe
