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

/// The place in a learning curve of the first crossing of `target` that counts: the first
/// evaluation at the target such that the mean of those in the kConfirmingIterations iterations
/// after it is at it as well; where none lies there, the next one. So the rule asks the same of
/// every grid of evaluations, and a single lucky one is not enough.
///
/// While more evaluations may come (`ended` is false) a crossing counts only when all that it needs
/// are there. After the end those that are there decide; one that nothing follows does not count.
std::optional<std::size_t> first_crossing(const std::vector<EvaluationEvent>& curve,
                                          const Target& target, bool ended);

}  // namespace pacbench
