#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "contract/scenario/target.h"
#include "contract/worker/worker_event.h"

namespace pacbench {

/// Iterations after a crossing in which the evaluations, in the mean, have to be at the target too.
inline constexpr std::int64_t kConfirmingIterations = 10;

/// The index of the first evaluation that reaches `target` and is confirmed: the mean of the
/// evaluations in the next kConfirmingIterations iterations reaches it too. Without an evaluation
/// in that window the first one after it must reach the target. The window counts iterations, so
/// the rule is equally strict however often one evaluates, and one lucky evaluation is not enough.
///
/// While more evaluations may come (`ended` is false) a crossing counts only when all that confirm
/// it are there. After the end the existing ones decide; without any, it does not count.
std::optional<std::size_t> first_crossing(const std::vector<EvaluationEvent>& curve,
                                          const Target& target, bool ended);

}  // namespace pacbench
