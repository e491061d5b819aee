#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "contract/result/result.h"
#include "contract/scenario/gate.h"

namespace pacbench::gates {

enum class Finding {
  kHolds,
  kBroken,
  kInconclusive,  ///< the reason is in `why`
};

}  // namespace pacbench::gates

namespace pacbench {

template <>
struct Words<gates::Finding> {
  static constexpr std::array kAll{"holds", "broken", "inconclusive"};
};

}  // namespace pacbench

namespace pacbench::gates {

/// One gate over one link.
struct Judgement {
  Gate gate;
  std::string link;
  Finding finding = Finding::kInconclusive;
  /// The value of the gate's metric, or the geometric mean of its ratios seed by seed; absent when
  /// there is none.
  std::optional<double> value;
  /// The ends of `value`. For a ratio with at least three seeds they are its 95 % interval
  /// (Student's t over the logarithms, statistics::paired_ratio), else the least and the largest
  /// seed.
  std::optional<double> low;
  std::optional<double> high;
  std::size_t seeds = 0;
  std::string why;  ///< empty when it holds
};

/// Judges every gate over every link that it names. A gate holds when all of low to high is within
/// its bounds, is broken when all of it is outside, and inconclusive else. It is broken as well
/// when the method failed, or never reached the target that the method it is compared with reached.
/// It is inconclusive when a cell was not run or its link was suspect. Throws ConfigError naming
/// `source` when a gate names a method, a link or a target that the run does not have.
std::vector<Judgement> judge(const std::string& source, const RunResult& run,
                             const std::vector<Gate>& gates);

}  // namespace pacbench::gates
