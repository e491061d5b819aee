#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "harness/data/datasets.h"
#include "harness/machine/programs.h"

namespace pacbench::cli {
namespace {

struct ImportOptions {
  std::string name;
  std::string path;
};

const DatasetInfo& importable(const Catalogue& catalogue, const std::string& name) {
  const auto* dataset = catalogue.find_dataset(name);
  if (dataset != nullptr && !dataset->files.empty()) return *dataset;
  std::string names;
  for (const auto& each : catalogue.datasets) {
    if (!each.files.empty()) names += (names.empty() ? "" : ", ") + each.name;
  }
  throw ConfigError{
      "data import",
      {{"", fmt::format("found \"{}\"{}, expected one of {}", name,
                        dataset == nullptr ? "" : ", which needs no import", names)}}};
}

void import_data(const ImportOptions& options) {
  const auto catalogue = load_catalogue(Programs::find());
  const auto& dataset = importable(catalogue, options.name);
  const auto folder = data::import_dataset(dataset, options.path, data_folder());
  fmt::print("{}: {} training and {} test samples in {}\n", dataset.name, dataset.train_samples,
             dataset.test_samples, folder);
}

std::string state_of(const DatasetInfo& dataset) {
  if (dataset.files.empty()) return "built in";
  try {
    data::require_dataset(dataset, data_folder());
  } catch (const ConfigError&) {
    return fmt::format("not imported, or not whole; to import it: pacbench data import {} PATH",
                       dataset.name);
  }
  return fmt::format("imported: {}/{}", data_folder(), dataset.name);
}

void list_data() {
  for (const auto& dataset : load_catalogue(Programs::find()).datasets) {
    fmt::print("{:<10} {:>6} training + {:>5} test samples  {}\n", dataset.name,
               dataset.train_samples, dataset.test_samples, state_of(dataset));
  }
}

}  // namespace

void add_data(CLI::App& app, int&) {
  auto* data = app.add_subcommand("data", "Import data sets, and list which are imported");
  data->require_subcommand(1);
  const auto options = std::make_shared<ImportOptions>();
  auto* import_command = data->add_subcommand(
      "import", "Check a data set's files and copy them to the folder where workers look for them");
  import_command->add_option("NAME", options->name, "Which data set it is: cifar10 or cifar100")
      ->required();
  import_command
      ->add_option(
          "PATH", options->path,
          "Folder with the files of the data set's binary version, or the .tar.gz of that version")
      ->required()
      ->check(CLI::ExistingPath);
  import_command->callback([options] { import_data(*options); });
  data->add_subcommand("list", "List all data sets, and say which are built in or imported")
      ->callback(list_data);
}

}  // namespace pacbench::cli
