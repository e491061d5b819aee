#include "contract/result/crossing.h"

namespace pacbench {
namespace {

/// Whether what follows the evaluation at `place` confirms it.
bool is_confirmed(const std::vector<EvaluationEvent>& curve, std::size_t place,
                  const Target& target, bool ended) {
  if (place + 1 == curve.size()) return false;
  const auto until = curve[place].iteration + kConfirmingIterations;
  if (!ended && curve.back().iteration < until) return false;
  // Differences are added, so that evaluations that equal the target add up to exactly nothing.
  double sum = surplus(curve[place + 1], target);
  for (auto i = place + 2; i < curve.size() && curve[i].iteration <= until; ++i) {
    sum += surplus(curve[i], target);
  }
  return sum >= 0;
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
