#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "harness/machine/programs.h"
#include "harness/verify/recount.h"

namespace pacbench::cli {
namespace {

void recount_run(const std::string& text) {
  const auto run = store::open_run(text, load_catalogue(Programs::find()));
  const auto done = verify::recount(run);
  if (run.source->is_archive()) store::pack_run(run.folder, run.source->shown());
  for (const auto& change : done.changed) fmt::print("changed  {}\n", change);
  fmt::print("{} cells recomputed from their raw lines; the results of {} of them changed\n",
             done.cells, done.changed.size());
}

}  // namespace

void add_recount(CLI::App& app, int&) {
  const auto run = std::make_shared<std::string>();
  auto* command = app.add_subcommand("recount",
                                     "Compute a run's numbers and verdicts again from its raw "
                                     "lines, by this version's rules, and write them");
  command->add_option("RUN", *run, "Results folder, or an archive of it")->required();
  command->callback([run] { recount_run(*run); });
}

}  // namespace pacbench::cli
