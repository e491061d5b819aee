#include <fmt/format.h>

#include <memory>

#include "analysis/adapt/gain.h"
#include "analysis/report/merge.h"
#include "analysis/report/report.h"
#include "base/errors.h"
#include "cli/command.h"
#include "contract/scenario/scenario.h"
#include "harness/machine/programs.h"
#include "harness/plan/scenario_file.h"

namespace pacbench::cli {
namespace {

struct AdaptOptions {
  std::string run;
  std::vector<std::string> over;
  std::size_t target = 1;
  std::string format = "text";
};

/// The links of these scenarios that have a schedule of rates. Throws ConfigError for a scenario
/// without such a link.
std::vector<LinkProfile> moving_links(const std::vector<std::string>& names) {
  std::vector<LinkProfile> links;
  if (names.empty()) return links;
  const auto catalogue = load_catalogue(Programs::find());
  for (const auto& name : names) {
    const auto path = plan::scenario_path(name);
    const auto before = links.size();
    for (auto& link :
         link_profiles(scenario_from_json(path, plan::read_scenario(path), catalogue))) {
      if (link.schedule.any()) links.push_back(std::move(link));
    }
    if (links.size() == before) {
      throw ConfigError{path,
                        {{"/network/links",
                          "found no link with a schedule of rates, expected at least one, since "
                          "--over computes the gain over such links"}}};
    }
  }
  return links;
}

std::string render(const adapt::Answer& answer, const std::string& format) {
  if (format == "json") return to_json(answer).dump(2) + '\n';
  const auto show = [&](const Table& table) {
    return (format == "md" ? to_markdown(table) : to_text(table, report_columns())) + '\n';
  };
  auto text = show(rates_table(answer));
  if (!answer.links.empty()) text += show(gains_table(answer));
  return text + words(answer, report_columns());
}

void adapt_to_rates(const AdaptOptions& options) {
  const auto run = store::read_result(options.run);
  const auto report = report::build_report(report::merge_by_workload({run}));
  adapt::Answer answer;
  answer.arms = adapt::arms_of(options.run, report.sections.front(), options.target - 1);
  answer.rates = adapt::fastest_at_rates(answer.arms);
  answer.steady = adapt::steadiest(answer.arms);
  for (const auto& link : moving_links(options.over)) {
    answer.links.push_back({link.name, adapt::gain_over(answer.arms, link.schedule)});
  }
  fmt::print("{}", render(answer, options.format));
}

}  // namespace

void add_adapt(CLI::App& app, int&) {
  auto* command = app.add_subcommand(
      "adapt",
      "Say which method is the fastest at each rate, and what switching between methods would "
      "gain");
  const auto options = std::make_shared<AdaptOptions>();
  command
      ->add_option("RUN", options->run,
                   "Results folder of a run whose links differ only in their rate")
      ->required();
  command->add_option("--over", options->over,
                      "Scenarios whose links have a schedule of rates: for each of these links, "
                      "print what an oracle that always picks the fastest method would gain");
  command
      ->add_option("--target", options->target,
                   "Number of the target among the run's targets, counted from 1 (default 1)")
      ->check(CLI::Range(1, 100));
  command->add_option("--format", options->format, "Output format")
      ->check(one_of({"text", "md", "json"}));
  command->callback([options] { adapt_to_rates(*options); });
}

}  // namespace pacbench::cli
