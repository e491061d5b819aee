#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/cli/command.h"
#include "harness/run/scenario_file.h"
#include "harness/shipped.h"
#include "harness/table.h"
#include "spec/scenario.h"

namespace pacbench::cli {
namespace {

/// The facts by which one chooses, as the file has them: it need not be valid here, since a profile
/// that it asks for may be yet to come.
Json facts_of(const run::ShippedScenario& scenario) {
  const auto document = read_json_file(scenario.path);
  const Scenario defaults;
  Json links = Json::array();
  const auto profiles = document.value(Json::json_pointer{"/network/links"}, Json::array());
  for (const auto& link : profiles) links.push_back(link.at("name"));
  return {{"name", scenario.name},
          {"path", scenario.path},
          {"mode", document.value("mode", defaults.mode)},
          {"device", document.value("device", defaults.device)},
          {"workers", document.value("workers", defaults.workers)},
          {"model", document.at("workload").at("model").at("name")},
          {"dataset", document.at("workload").at("dataset").at("name")},
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
  for (const auto& scenario : run::shipped_scenarios(shipped_folders("scenarios"))) {
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
