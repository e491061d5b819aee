#include "contract/scenario/launcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/catalogue/method_entry.h"

namespace pacbench {
namespace {

std::string line(const char* key, const std::vector<std::string>& words) {
  return fmt::format("\"{}\": {}", key, Json(words).dump());
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string words_about(const Launch& launch, const Scenario& scenario) {
  auto words = fmt::format(
      "found {}, which starts processes of its own in each rank, and these exchange data with each "
      "other past the links; expected the program alone: pacbench starts it once for each worker, "
      "with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT as torchrun sets them. Write {}",
      launch.launcher, line("command", launch.command));
  if (is_number(launch.processes) && launch.processes != fmt::to_string(scenario.workers)) {
    words += fmt::format(", and \"workers\": {} for as many processes", launch.processes);
  }
  if (launch.sets_own_rank) {
    words += fmt::format(". A program that finds its rank by means of {} must take it from RANK",
                         launch.launcher);
  }
  return words;
}

}  // namespace

void refuse_launchers(const std::string& source, const Scenario& scenario) {
  if (!scenario.program) return;
  const auto& command = scenario.program->command;
  const bool has_workload =
      !std::all_of(scenario.methods.begin(), scenario.methods.end(), is_program);
  std::vector<Issue> issues;
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    const auto& method = scenario.methods[i];
    if (!is_program(method)) continue;
    const auto arguments = method.choice.options.at("arguments").get<std::vector<std::string>>();
    const auto launch = find_launcher(command, arguments);
    if (!launch) continue;
    if (issues.empty()) {
      issues.push_back({has_workload ? "/program/command" : "/workload/command",
                        words_about(*launch, scenario)});
    }
    if (launch->arguments == arguments) continue;
    issues.push_back({fmt::format("/methods/{}/arguments", i),
                      fmt::format("found words of {}; write {}", launch->launcher,
                                  line("arguments", launch->arguments))});
  }
  if (!issues.empty()) throw ConfigError{source, issues};
}

}  // namespace pacbench
