#include "analysis/cite/cite.h"

#include <fmt/format.h>

#include <memory>

#include "base/files.h"
#include "base/sha256.h"
#include "cli/command.h"
#include "harness/machine/programs.h"
#include "harness/store/manifest.h"
#include "harness/store/recorded_run.h"

namespace pacbench::cli {
namespace {

cite::CitedRun cited(const std::string& folder) {
  const auto run = store::read_result(folder);
  const auto manifest = store::read_manifest(run.folder());
  cite::CitedRun cited{
      run.result.scenario.at("name"), manifest.pacbench_version,   manifest.git_commit,
      run.result.comparison_hash,     sha256(read_file(run.path)), {}};
  for (const auto& method : run.result.scenario.at("methods")) {
    cited.methods.push_back(method.at("name"));
  }
  return cited;
}

}  // namespace

void add_cite(CLI::App& app, int&) {
  struct Options {
    std::string run;
    bool anonymous = false;
  };
  const auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand(
      "cite", "Print BibTeX of pacbench, of a run, and of the papers of its methods");
  command->add_option("RUN", options->run, "Results folder, or its result.json")->required();
  command->add_flag("--anonymous", options->anonymous,
                    "For a blind review: without authors, the run's name and the commit");
  command->callback([options] {
    fmt::print("{}", cite::bibtex(cited(options->run), load_catalogue(Programs::find()),
                                  options->anonymous));
  });
}

}  // namespace pacbench::cli
