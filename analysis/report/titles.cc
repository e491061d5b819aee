#include "analysis/report/titles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/subprocess.h"
#include "contract/catalogue/python_name.h"
#include "contract/scenario/program.h"

namespace pacbench::report {
namespace {

/// Every value of a workload by its JSON pointer, except the model and the data set's name, which
/// all titles have.
Json other_values(const ReportSection& section) {
  auto values = section.scenario.at("workload");
  if (is_program_alone(section.scenario)) return values.flatten();
  values.erase("model");
  values.at("dataset").erase("name");
  return values.flatten();
}

/// A value of one section; absent when the section lacks it.
using Value = std::optional<std::string>;

Value value_at(const ReportSection& section, const std::string& pointer) {
  const auto values = other_values(section);
  const auto found = values.find(pointer);
  if (found == values.end()) return std::nullopt;
  return found->is_string() ? found->get<std::string>() : found->dump();
}

bool differs(const std::vector<ReportSection>& sections, const std::string& pointer) {
  const auto first = value_at(sections.front(), pointer);
  return std::any_of(sections.begin(), sections.end(), [&](const ReportSection& section) {
    return value_at(section, pointer) != first;
  });
}

std::vector<std::string> differing_pointers(const std::vector<ReportSection>& sections) {
  std::set<std::string> pointers;
  for (const auto& section : sections) {
    const auto values = other_values(section);
    for (const auto& [pointer, value] : values.items()) {
      if (differs(sections, pointer)) pointers.insert(pointer);
    }
  }
  return {pointers.begin(), pointers.end()};
}

/// A model with its options: "mlp hidden [512,512]". The hash of a user's file is left out.
std::string model_words(const Json& workload) {
  const auto& model = workload.at("model");
  auto words = model.at("name").get<std::string>();
  for (const auto& [key, value] : model.items()) {
    if (key != "name" && key != "sha256") words += fmt::format(" {} {}", key, value.dump());
  }
  return words;
}

}  // namespace

std::string workload_words(const Json& scenario) {
  const auto& workload = scenario.at("workload");
  if (is_program_alone(scenario)) {
    return shell_words(workload.at("command").get<std::vector<std::string>>());
  }
  const std::string dataset = workload.at("dataset").at("name");
  if (is_users_class(dataset)) return model_words(workload);  // a task is model and data at once
  return fmt::format("{} on {}", model_words(workload), dataset);
}

void fill_titles(std::vector<ReportSection>& sections) {
  const bool mixed_modes = std::any_of(
      sections.begin(), sections.end(),
      [&](const ReportSection& section) { return section.mode != sections.front().mode; });
  const bool mixed_workers =
      std::any_of(sections.begin(), sections.end(), [&](const ReportSection& section) {
        return section.scenario.at("workers") != sections.front().scenario.at("workers");
      });
  const auto pointers = differing_pointers(sections);
  for (auto& section : sections) {
    section.title = workload_words(section.scenario);
    for (const auto& pointer : pointers) {
      const auto value = value_at(section, pointer);
      if (value) section.title += fmt::format(" · {} {}", pointer.substr(1), *value);
    }
    if (mixed_workers) {
      section.title += fmt::format(" · {} workers", section.scenario.at("workers").get<int>());
    }
    if (mixed_modes) section.title += fmt::format(" · mode {}", word_of(section.mode));
  }
  // Sections that differ in nothing but their targets are told apart by the names of their runs.
  std::map<std::string, int> count;
  for (const auto& section : sections) ++count[section.title];
  for (auto& section : sections) {
    if (count.at(section.title) > 1) section.title += " · " + section.name;
  }
}

}  // namespace pacbench::report
