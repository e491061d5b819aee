#pragma once

#include <cstddef>

#include "base/json/json_reader.h"

/// The bounds of networks: of what users write, and of what the daemon takes.
namespace pacbench {

// A rate outside these bounds is more likely a mistyped unit than a link. The daemon takes half of
// the least one too: where tc does not see all bytes, a shaper's rate is below the declared one.
inline constexpr double kLeastLinkMbit = 0.1;
inline constexpr double kMostLinkMbit = 100'000;
inline constexpr double kLeastShapedMbit = kLeastLinkMbit / 2;

// Steps that are closer to each other could hardly be told from steps that come late. 200 s of a
// trace have this many steps at most, and a request with them is shorter than the longest message.
inline constexpr double kLeastStepS = 0.01;
inline constexpr std::size_t kMostSteps = 20'000;
inline constexpr double kMostScheduleS = 86'400;

inline constexpr int kMostOnASwitch = 1024;

inline constexpr Range kDelayBoundsMs{0.0, 10'000.0};
inline constexpr Range kMtuBounds{576.0, 65'535.0};

}  // namespace pacbench
