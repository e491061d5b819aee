#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trainer/data/dataset.h"
#include "trainer/data/sources.h"

namespace pacbench::trainer {
namespace {

struct Entry {
  DatasetInfo info;
  std::shared_ptr<const Dataset> (*load)(const Choice&, const std::string& data_folder);
};

/// The table of data sets and their loaders; a new data set gets its line here.
std::vector<Entry> table() {
  std::vector<Entry> entries{{digits_info(), load_digits}, {shakespeare_info(), load_shakespeare}};
  for (const auto& info : cifar_infos()) entries.push_back({info, load_cifar});
  return entries;
}

Entry find_entry(const std::string& name) {
  std::vector<std::string> names;
  for (auto& entry : table()) {
    if (entry.info.name == name) return entry;
    names.push_back(entry.info.name);
  }
  throw ConfigError{
      "data set",
      {{"/name", fmt::format("found \"{}\", expected one of {}", name, fmt::join(names, ", "))}}};
}

}  // namespace

std::vector<DatasetInfo> dataset_catalogue() {
  std::vector<DatasetInfo> infos;
  for (const auto& entry : table()) infos.push_back(entry.info);
  return infos;
}

DatasetInfo dataset_info(const std::string& name) { return find_entry(name).info; }

std::shared_ptr<const Dataset> load_dataset(const Choice& choice, const std::string& data_folder,
                                            std::int64_t validation_samples) {
  auto all = find_entry(choice.name).load(choice, data_folder);
  if (validation_samples == 0) return all;
  return std::make_shared<const Dataset>(held_out(*all, validation_samples));
}

std::shared_ptr<const Dataset> dataset_of(const Workload& workload,
                                          const std::string& data_folder) {
  return load_dataset(workload.dataset, data_folder, workload.validation_samples);
}

}  // namespace pacbench::trainer
