#include "harness/store/curve.h"

#include <fmt/format.h>

namespace pacbench::store {

std::vector<EvaluationEvent> read_curve(const std::string& cell_folder, Broken broken) {
  std::vector<EvaluationEvent> curve;
  const auto path = cell_folder + "/curve.jsonl";
  for_each_event(path, broken, [&](const Json& event, const std::string&, std::size_t number) {
    try {
      curve.push_back(evaluation_event_from_json(event));
    } catch (const std::exception& error) {
      throw ConfigError{fmt::format("{}:{}", path, number),
                        {{"", fmt::format("expected an evaluation: {}", error.what())}}};
    }
  });
  return curve;
}

}  // namespace pacbench::store
