#include <fmt/format.h>

#include <memory>

#include "base/files.h"
#include "harness/cli/command.h"
#include "harness/programs.h"
#include "harness/report/read_result.h"
#include "harness/reproduce/reproduction.h"

namespace pacbench::cli {
namespace {

struct ReproduceOptions {
  std::vector<std::string> runs;
  std::string format = "md";
  std::string output;
};

int write_reproduction(const ReproduceOptions& options) {
  std::vector<report::NamedResult> runs;
  for (const auto& run : options.runs) runs.push_back(report::read_result(run));
  const auto reproduction = reproduce::reproduce(runs, load_catalogue(Programs::find()));
  const auto text = options.format == "json" ? json_text(to_json(reproduction), 2) + '\n'
                                             : reproduce::render_markdown(reproduction);
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_file_atomically(options.output, text);
  }
  if (reproduction.answers_any()) return kFine;
  fmt::print(stderr, "no claim of the paper could be judged by these runs:\n");
  for (const auto& answer : reproduction.claims) {
    fmt::print(stderr, "  {}: {}\n", answer.claim->id, answer.why);
  }
  return kInconclusive;
}

}  // namespace

void add_reproduce(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("reproduce", "Print the PacTrain paper's numbers beside those of runs");
  const auto options = std::make_shared<ReproduceOptions>();
  command->add_option("RUN", options->runs, "Results folders, or their result.json")->required();
  command->add_option("--format", options->format, "How it is printed")
      ->check(one_of({"md", "json"}));
  command->add_option("-o,--output", options->output, "Write to this file");
  command->callback([options, &exit_code] { exit_code = write_reproduction(*options); });
}

}  // namespace pacbench::cli
