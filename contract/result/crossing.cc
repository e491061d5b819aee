#include "contract/result/crossing.h"

namespace pacbench {
namespace {

/// Whether the evaluations after the one at `place` confirm it.
bool is_confirmed(const std::vector<EvaluationEvent>& curve, std::size_t place,
                  const Target& target, bool ended) {
  const auto until = curve[place].iteration + kConfirmingIterations;
  if (!ended && curve.back().iteration < until) return false;
  // This adds differences from the target. Evaluations that equal the target then add up to exactly
  // 0.
  std::optional<double> sum;
  for (auto i = place + 1; i < curve.size() && (!sum || curve[i].iteration <= until); ++i) {
    if (const auto more = surplus(curve[i], target)) sum = sum.value_or(0) + *more;
  }
  return sum.value_or(-1) >= 0;
}

}  // namespace

std::optional<std::size_t> first_crossing(const std::vector<EvaluationEvent>& curve,
                                          const Target& target, bool ended) {
  for (std::size_t place = 0; place < curve.size(); ++place) {
    if (reaches(curve[place], target) && is_confirmed(curve, place, target, ended)) return place;
  }
  return std::nullopt;
}

}  // namespace pacbench
