#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "analysis/figures/renderer.h"
#include "analysis/reproduce/reproduction.h"
#include "base/files.h"
#include "cli/command.h"
#include "harness/machine/programs.h"
#include "harness/store/read_result.h"

namespace pacbench::cli {
namespace {

namespace fs = std::filesystem;

struct ReproduceOptions {
  std::vector<std::string> runs;
  std::string claims;
  std::string format = "md";
  std::string output;
  std::string evidence;
};

/// Writes all evidence into a folder: for programs, for people, and as a figure.
void write_evidence(const Json& document, const std::string& folder) {
  fs::create_directories(folder);
  write_file_atomically(folder + "/evidence.json", json_text(document) + '\n');
  write_file_atomically(folder + "/evidence.html", figures::run_plots({"claims-html"}, document));
  write_file_atomically(folder + "/claims.svg", figures::run_plots({"claims-svg"}, document));
}

/// The relative path by which a page at `output` links to the folder of the evidence.
std::string link_to(const std::string& folder, const std::string& output) {
  if (folder.empty()) return "";
  const auto page = fs::absolute(output.empty() ? "page" : output).lexically_normal();
  return fs::absolute(folder).lexically_normal().lexically_relative(page.parent_path()).string();
}

int write_reproduction(const ReproduceOptions& options) {
  std::vector<store::NamedResult> runs;
  for (const auto& run : options.runs) runs.push_back(store::read_result(run));
  const auto claims = reproduce::read_claims(
      options.claims.empty() ? reproduce::shipped_claims("pactrain") : options.claims);
  const auto found = reproduce::reproduce(claims, runs, load_catalogue(Programs::find()));
  if (!options.evidence.empty()) write_evidence(to_json(found), options.evidence);
  const auto text =
      options.format == "json"
          ? json_text(to_json(found), 2) + '\n'
          : reproduce::render_markdown(found, link_to(options.evidence, options.output));
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_file_atomically(options.output, text);
  }
  if (found.answers_any()) return kFine;
  fmt::print(stderr, "no claim of the paper could be judged by these runs:\n");
  for (const auto& answer : found.claims) {
    fmt::print(stderr, "  {}: {}\n", answer.claim->id, answer.why);
  }
  return kInconclusive;
}

}  // namespace

void add_reproduce(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("reproduce", "Print a paper's numbers beside those of runs");
  const auto options = std::make_shared<ReproduceOptions>();
  command->add_option("RUN", options->runs, "Results folders, or their result.json")->required();
  command->add_option("--claims", options->claims,
                      "A file of claims (default: those of the PacTrain paper)");
  command->add_option("--format", options->format, "Output format")->check(one_of({"md", "json"}));
  command->add_option("-o,--output", options->output, "Write to this file");
  command->add_option(
      "--evidence", options->evidence,
      "Write all evidence into this folder: evidence.json, evidence.html, claims.svg");
  command->callback([options, &exit_code] { exit_code = write_reproduction(*options); });
}

}  // namespace pacbench::cli
