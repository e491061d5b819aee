#include "harness/plan/scenario_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/errors.h"
#include "base/files.h"
#include "base/json/hints.h"
#include "contract/scenario/time_dilation.h"
#include "harness/machine/programs.h"

namespace pacbench::plan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardInput = "-";

std::string without_json(const std::string& name) {
  return name.ends_with(".json") ? name.substr(0, name.size() - 5) : name;
}

/// The scenario name nearest to a mistyped one. File names alone are compared too, since the folder
/// is easily left out.
std::optional<std::string> nearest_name(const std::string& argument,
                                        const std::vector<ShippedScenario>& all) {
  std::vector<std::string> names;
  std::vector<std::string> files;
  for (const auto& scenario : all) {
    names.push_back(scenario.name);
    files.push_back(fs::path{scenario.name}.filename().string());
  }
  if (auto name = nearest(without_json(argument), names)) return name;
  const auto file = nearest(without_json(fs::path{argument}.filename().string()), files);
  if (!file) return std::nullopt;
  const auto at = std::find(files.begin(), files.end(), *file) - files.begin();
  return names[static_cast<std::size_t>(at)];
}

[[noreturn]] void refuse_file(const std::string& argument, const std::string& message) {
  throw ConfigError{argument, "", message};
}

[[noreturn]] void refuse_change(const std::string& assignment, const std::string& message) {
  throw ConfigError{"--set " + assignment, "", message};
}

Json::json_pointer pointer_of(const std::string& assignment, const std::string& text) {
  try {
    return Json::json_pointer{text};
  } catch (const Json::exception& error) {
    refuse_change(assignment, fmt::format("{} is not a JSON pointer: {}", text, error.what()));
  }
}

/// The keys below a node, for the message to a person who mistyped.
std::string keys_of(const Json& node) {
  if (node.is_array() && node.empty()) return "an empty array";
  if (node.is_array())
    return fmt::format("an array of {} elements, 0 to {}", node.size(), node.size() - 1);
  std::string keys;
  for (const auto& [key, value] : node.items()) keys += (keys.empty() ? "" : ", ") + key;
  return keys.empty() ? "nothing" : keys;
}

}  // namespace

std::vector<ShippedScenario> shipped_scenarios(const std::vector<std::string>& folders) {
  std::map<std::string, std::string> by_name;
  for (const auto& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator{folder}) {
      const auto& file = entry.path();
      if (file.extension() != ".json" || file.stem().has_extension()) continue;
      by_name.emplace(without_json(file.lexically_relative(folder).string()), file.string());
    }
  }
  std::vector<ShippedScenario> all;
  for (auto& [name, path] : by_name) all.push_back({name, path});
  return all;
}

std::optional<std::string> find_scenario(const std::string& argument,
                                         const std::vector<std::string>& folders) {
  std::vector<std::string> candidates{argument, argument + ".json"};
  for (const auto& folder : folders) {
    candidates.push_back(fmt::format("{}/{}.json", folder, without_json(argument)));
  }
  const auto found = std::find_if(candidates.begin(), candidates.end(), [](const auto& path) {
    std::error_code unreadable;
    return fs::exists(path, unreadable) && !fs::is_directory(path, unreadable);
  });
  if (found == candidates.end()) return std::nullopt;
  return *found;
}

std::string scenario_path(const std::string& argument) {
  if (argument == kStandardInput) return argument;
  if (argument.ends_with(".py")) {
    refuse_file(argument, fmt::format("is a Python program, expected a scenario; `pacbench exec -n "
                                      "2 --rate 100mbit -- python3 {}` runs it over links",
                                      argument));
  }
  const auto folders = shipped_folders("scenarios");
  if (auto found = find_scenario(argument, folders)) return *found;
  std::error_code unreadable;
  if (fs::is_directory(argument, unreadable)) {
    refuse_file(argument, "is a folder, expected a scenario's file or name");
  }
  const auto name = nearest_name(argument, shipped_scenarios(folders));
  refuse_file(argument, fmt::format("no such file here, and no scenario of that name in {}; {}",
                                    folders.empty() ? "pacbench's own folders, which are missing"
                                                    : fmt::format("{}", fmt::join(folders, " or ")),
                                    name ? fmt::format("did you mean \"{}\"?", *name)
                                         : "`pacbench list scenarios` prints their names"));
}

Json read_scenario(const std::string& path) {
  auto document = path == kStandardInput ? parse_json("standard input", read_file("/dev/stdin"))
                                         : read_json_file(path);
  if (document.is_object() && !document.contains("time_dilation")) {
    document["time_dilation"] = TimeDilation::kAuto;
  }
  return document;
}

void apply_override(Json& scenario, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || !assignment.starts_with('/')) {
    refuse_change(assignment, "expected /json/pointer=VALUE, such as /workload/max_iterations=10");
  }
  const auto pointer = pointer_of(assignment, assignment.substr(0, equals));
  auto parent = pointer.parent_pointer();
  const auto& key = pointer.back();
  try {
    if (!scenario.contains(parent)) {
      while (!scenario.contains(parent)) parent.pop_back();
      refuse_change(assignment, fmt::format("found nothing at {}; below {} there is {}",
                                            pointer.parent_pointer().to_string(),
                                            parent.empty() ? "the top" : parent.to_string(),
                                            keys_of(scenario.at(parent))));
    }
    auto& node = scenario.at(parent);
    if (node.is_array() && !scenario.contains(pointer)) {
      refuse_change(assignment, fmt::format("there is no element {}: {} is {}", key,
                                            parent.to_string(), keys_of(node)));
    }
    if (!node.is_structured()) {
      refuse_change(assignment, fmt::format("{} is {}, which has no parts", parent.to_string(),
                                            describe_found(node)));
    }
    const auto text = assignment.substr(equals + 1);
    const auto value = parse_json_line(text);
    scenario[pointer] = value.is_discarded() ? Json(text) : value;
  } catch (const Json::exception& error) {
    refuse_change(assignment, error.what());
  }
}

}  // namespace pacbench::plan
