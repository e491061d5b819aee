#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "contract/scenario/scenario.h"
#include "harness/machine/shipped.h"
#include "harness/plan/scenario_file.h"
#include "harness/text/table.h"

namespace pacbench::cli {
namespace {

/// The facts by which one chooses a scenario, read from its file unchecked. The file need not be
/// valid here: the file that its /compose/profile names may not have been made yet.
Json facts_of(const plan::ShippedScenario& scenario) {
  const auto document = read_json_file(scenario.path);
  const Scenario defaults;
  Json links = Json::array();
  const auto declared = document.value(Json::json_pointer{"/network/links"}, Json::array());
  for (const auto& link : declared) links.push_back(link.at("name"));
  // A program of the user's own has neither model nor data set that pacbench knows.
  const auto name_in = [&](const char* part) {
    return document.at("workload")
        .value(Json::json_pointer{fmt::format("/{}/name", part)},
               is_program_alone(document) ? "own program" : "");
  };
  return {{"name", scenario.name},
          {"path", scenario.path},
          {"mode", document.value("mode", defaults.mode)},
          {"device", document.value("device", defaults.device)},
          {"workers", document.value("workers", defaults.workers)},
          {"model", name_in("model")},
          {"dataset", name_in("dataset")},
          {"links", links},
          {"methods", document.at("methods").size()},
          {"seeds", document.at("seeds").size()}};
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  return fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), " "));
}

}  // namespace

void list_scenarios(bool json) {
  Json all = Json::array();
  for (const auto& scenario : plan::shipped_scenarios(shipped_folders("scenarios"))) {
    all.push_back(facts_of(scenario));
  }
  if (json) {
    fmt::print("{}\n", all.dump(2));
    return;
  }
  const std::vector<std::string> keys{"name",    "mode",  "device",  "workers", "model",
                                      "dataset", "links", "methods", "seeds"};
  Table table;
  for (const auto& key : keys) {
    const bool counts = key == "workers" || key == "methods" || key == "seeds";
    table.columns.push_back({"", key, !counts});
  }
  for (const auto& facts : all) {
    std::vector<std::string> row;
    for (const auto& key : keys) row.push_back(text_of(facts.at(key)));
    table.rows.push_back(std::move(row));
  }
  fmt::print("{}", to_text(table));
}

}  // namespace pacbench::cli
