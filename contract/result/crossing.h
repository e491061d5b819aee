#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "contract/scenario/target.h"
#include "contract/worker/worker_event.h"

namespace pacbench {

/// The length of the window after a crossing, in iterations. The mean of the evaluations in the
/// window must reach the target too.
inline constexpr std::int64_t kConfirmingIterations = 10;

/// The index of the first evaluation that reaches `target` and is confirmed: the mean of the
/// evaluations in the next kConfirmingIterations iterations reaches it too. If the window has no
/// evaluation, the first one after it must reach the target. The window counts iterations, so the
/// rule is equally strict however often one evaluates, and one lucky evaluation is not enough.
///
/// While more evaluations may come (`ended` is false), a crossing counts only when the evaluations
/// reach the window's end. After the end of the cell the existing evaluations decide. A crossing
/// that no evaluation follows does not count.
std::optional<std::size_t> first_crossing(const std::vector<EvaluationEvent>& curve,
                                          const Target& target, bool ended);

}  // namespace pacbench
