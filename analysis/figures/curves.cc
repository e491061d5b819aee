#include "analysis/figures/curves.h"

#include <map>

namespace pacbench::figures {

std::vector<CurvePoint> median_curve(const std::vector<std::vector<EvaluationEvent>>& curves) {
  struct Values {
    std::vector<double> training_s;
    std::vector<double> accuracy;
  };
  std::map<std::int64_t, Values> at;
  for (const auto& curve : curves) {
    for (const auto& evaluation : curve) {
      if (!evaluation.accuracy) continue;
      auto& values = at[evaluation.iteration];
      values.training_s.push_back(evaluation.training_s);
      values.accuracy.push_back(*evaluation.accuracy);
    }
  }
  std::vector<CurvePoint> points;
  for (const auto& [iteration, values] : at) {
    if (values.accuracy.size() < curves.size()) continue;
    points.push_back(
        {iteration, statistics::spread(values.training_s), statistics::spread(values.accuracy)});
  }
  return points;
}

}  // namespace pacbench::figures
