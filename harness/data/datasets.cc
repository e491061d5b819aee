#include "harness/data/datasets.h"

#include "harness/machine/programs.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/errors.h"

namespace pacbench::data {
namespace {

/// Returns a message for each file of a data set that is missing or has another length.
std::vector<std::string> faults_of(const DatasetInfo& dataset, const std::string& folder) {
  std::vector<std::string> faults;
  for (const auto& file : dataset.files) {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(folder + "/" + file.name, missing);
    if (missing) {
      faults.push_back(fmt::format("{} is missing", file.name));
    } else if (bytes != static_cast<std::uintmax_t>(file.bytes)) {
      faults.push_back(
          fmt::format("{} is {} bytes long, expected {}", file.name, bytes, file.bytes));
    }
  }
  return faults;
}

/// Returns one sentence about all wrong files, with the cure; empty when no file is wrong.
std::string issue_of(const DatasetInfo& dataset, const std::string& data_folder) {
  const auto folder = fmt::format("{}/{}", data_folder, dataset.name);
  const auto faults = faults_of(dataset, folder);
  if (faults.empty()) return "";
  const auto what =
      std::filesystem::exists(folder)
          ? fmt::format("is incomplete in {} ({}{})", folder, faults.front(),
                        faults.size() == 1 ? "" : fmt::format(", and {} more", faults.size() - 1))
          : fmt::format("is not in {}", folder);
  return fmt::format(
      "the data set {0} {1}; get its binary version, and import it with pacbench data import {0} "
      "PATH",
      dataset.name, what);
}

}  // namespace

void require_dataset(const DatasetInfo& dataset, const std::string& data_folder) {
  if (const auto issue = issue_of(dataset, data_folder); !issue.empty()) {
    throw ConfigError{dataset.name, {{"", issue}}};
  }
}

void require_datasets(const Scenario& scenario, const Catalogue& catalogue) {
  if (is_program_alone(scenario)) return;  // a program brings its own data
  std::map<std::string, std::string> places{
      {scenario.workload.dataset.name, "/workload/dataset/name"}};
  const auto& initial = scenario.workload.initial;
  // Where pre-training uses the training set, a missing set is reported once, at the key of the
  // training set: emplace() keeps the first entry.
  if (initial.kind == "pretrain") {
    places.emplace(initial.dataset.name, "/workload/initial/dataset/name");
  }
  std::vector<Issue> issues;
  for (const auto& [name, pointer] : places) {
    const auto issue = issue_of(*catalogue.find_dataset(name), data_folder());
    if (!issue.empty()) issues.push_back({pointer, issue});
  }
  if (!issues.empty()) throw ConfigError{scenario.name, issues};
}

}  // namespace pacbench::data
