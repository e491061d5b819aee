#include "contract/scenario/scenario_checks.h"

#include <fmt/format.h>

#include <optional>

#include "contract/catalogue/choice_json.h"

namespace pacbench {
namespace {

std::optional<std::string> why_not_measured(const Scenario& scenario) {
  if (!has_network(scenario)) return "mode learn has no link and measures no time of an exchange";
  if (sleeps(scenario)) {
    return "mode compose takes its curve from another run, which decided by the times that it "
           "measured itself";
  }
  if (!runs_workers(scenario)) return "mode simulate repeats what a profile recorded";
  if (scenario.tune) return "a tuning trains without a link and measures no time of an exchange";
  return std::nullopt;
}

/// Advises what to write instead: the options that decide without measuring, or recorded decisions.
std::string advice(const MethodInfo& method, const OptionSpec& decisions) {
  std::string words;
  for (const auto& option : method.options) {
    for (const auto& value : option.untimed) {
      words += fmt::format("\"{}\": {}, or ", option.name, value.dump());
    }
  }
  return fmt::format("{}decisions in \"{}\" ({})", words, decisions.name, decisions.help);
}

/// The issue of a method that decides by measured time; nothing for other methods.
std::optional<Issue> issue_of(const Choice& choice, const std::string& pointer,
                              const std::string& reason, const Catalogue& catalogue) {
  const auto* method = catalogue.find_method(choice.name);
  const auto* decisions = method == nullptr ? nullptr : decisions_option(*method);
  if (decisions == nullptr) return std::nullopt;
  const auto traits = traits_of(*method, choice_to_json(choice), catalogue.methods);
  if (!traits.depends_on_time) return std::nullopt;
  return Issue{pointer + "/" + decisions->name,
               fmt::format("{} decides by measured times, but {}; expected {}", choice.name, reason,
                           advice(*method, *decisions))};
}

}  // namespace

void check_decisions(const Scenario& scenario, const Catalogue& catalogue,
                     std::vector<Issue>& issues) {
  const auto reason = why_not_measured(scenario);
  if (!reason) return;
  const auto check = [&](const Choice& choice, const std::string& pointer) {
    if (const auto issue = issue_of(choice, pointer, *reason, catalogue)) issues.push_back(*issue);
  };
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    const auto& settings = scenario.methods[i].settings;
    if (settings.empty()) check(scenario.methods[i].choice, fmt::format("/methods/{}", i));
    for (std::size_t j = 0; j < settings.size(); ++j) {
      check(settings[j], fmt::format("/methods/{}/tune/{}", i, j));
    }
  }
}

}  // namespace pacbench
