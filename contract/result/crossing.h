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

/// The place in a learning curve of the first crossing of `target` that counts. It is the first
/// evaluation at the target that is confirmed: the mean of the evaluations in the next
/// kConfirmingIterations iterations is at the target too. Where none lies in these, the next one
/// decides. So the rule asks the same of every grid, and a single lucky evaluation is not enough.
///
/// While more evaluations may come (`ended` is false) a crossing counts only when all that confirm
/// it are there. After the end the existing ones decide; without any, it does not count.
std::optional<std::size_t> first_crossing(const std::vector<EvaluationEvent>& curve,
                                          const Target& target, bool ended);

}  // namespace pacbench
