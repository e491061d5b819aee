#include "harness/data/datasets.h"

#include "harness/programs.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/errors.h"

namespace pacbench::data {

void require_dataset(const DatasetInfo& dataset, const std::string& data_folder) {
  const auto folder = fmt::format("{}/{}", data_folder, dataset.name);
  std::vector<Issue> issues;
  for (const auto& file : dataset.files) {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(folder + "/" + file.name, missing);
    if (missing) {
      issues.push_back({"", fmt::format("{} is missing", file.name)});
    } else if (bytes != static_cast<std::uintmax_t>(file.bytes)) {
      issues.push_back(
          {"", fmt::format("{} is {} bytes long, expected {}", file.name, bytes, file.bytes)});
    }
  }
  if (issues.empty()) return;
  issues.push_back({"", fmt::format("get the binary version of {} and import it: pacbench data "
                                    "import {} PATH",
                                    dataset.name, dataset.name)});
  throw ConfigError{folder, issues};
}

void require_datasets(const Scenario& scenario, const Catalogue& catalogue) {
  const auto& workload = scenario.workload;
  require_dataset(*catalogue.find_dataset(workload.dataset.name), data_folder());
  if (workload.initial.kind == "pretrain") {
    require_dataset(*catalogue.find_dataset(workload.initial.dataset.name), data_folder());
  }
}

}  // namespace pacbench::data
