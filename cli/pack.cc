#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "harness/store/packed_run.h"

namespace pacbench::cli {

void add_pack(CLI::App& app, int&) {
  struct Options {
    std::string run;
    std::string output;
  };
  const auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand(
      "pack", "Write a run into one file, which report, verify and the like take in its place");
  command->add_option("RUN", options->run, "Results folder of a run that ended")
      ->required()
      ->check(CLI::ExistingDirectory);
  command->add_option("-o,--output", options->output, "The file (default: RUN.tar.xz)");
  command->callback([options] {
    auto folder = std::filesystem::path{options->run}.lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    const auto archive =
        options->output.empty() ? folder.string() + store::kArchive : options->output;
    store::pack_run(folder.string(), archive);
    fmt::print("{}: {:.2f} MB\n", archive,
               1e-6 * static_cast<double>(std::filesystem::file_size(archive)));
  });
}

}  // namespace pacbench::cli
