#include "harness/figures/curves.h"

#include <fmt/format.h>

#include <map>

#include "harness/cell/files.h"

namespace pacbench {

std::vector<EvaluationEvent> read_curve(const std::string& cell_folder) {
  std::vector<EvaluationEvent> curve;
  const auto path = cell_folder + "/curve.jsonl";
  for_each_event(
      path, Broken::kRefuse, [&](const Json& event, const std::string&, std::size_t number) {
        try {
          curve.push_back(evaluation_event_from_json(event));
        } catch (const Json::exception& error) {
          throw ConfigError{fmt::format("{}:{}", path, number),
                            {{"", fmt::format("expected an evaluation: {}", error.what())}}};
        }
      });
  return curve;
}

std::vector<CurvePoint> median_curve(const std::vector<std::vector<EvaluationEvent>>& curves) {
  struct Values {
    std::vector<double> training_s;
    std::vector<double> accuracy;
  };
  std::map<std::int64_t, Values> at;
  for (const auto& curve : curves) {
    for (const auto& evaluation : curve) {
      auto& values = at[evaluation.iteration];
      values.training_s.push_back(evaluation.training_s);
      values.accuracy.push_back(evaluation.accuracy);
    }
  }
  std::vector<CurvePoint> points;
  for (const auto& [iteration, values] : at) {
    if (values.accuracy.size() < curves.size()) continue;
    points.push_back({iteration, spread(values.training_s), spread(values.accuracy)});
  }
  return points;
}

}  // namespace pacbench
