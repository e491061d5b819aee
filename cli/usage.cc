#include <fmt/format.h>

#include <algorithm>

#include "base/json/hints.h"
#include "cli/command.h"

namespace pacbench::cli {
namespace {

/// The command that is named by the words before the mistake.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

/// The name of a command after those of its parents, such as "pacbench data import".
std::string full_name(const CLI::App& app) {
  const auto* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// All names of a command's options, long and short, with their dashes.
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

/// Names a command beside or below `app` that has an option; empty where none has it.
std::string another_has(const CLI::App& app, const std::string& option) {
  const auto* parent = app.get_parent() == nullptr ? &app : app.get_parent();
  for (const auto* command : subcommands(*parent)) {
    const auto names = options_of(*command);
    if (std::find(names.begin(), names.end(), option) == names.end()) continue;
    return fmt::format("; `{}` has it", full_name(*command));
  }
  return "";
}

std::string unknown(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-')) {
    const auto name = word.substr(0, word.find('='));
    const auto other = another_has(app, name);
    return fmt::format(
        "there is no option \"{}\"{}{}", name,
        other.empty() ? did_you_mean(name, options_of(app)) : other,
        app.get_name() == "exec" ? " (the program and its options come after --)" : "");
  }
  std::vector<std::string> names;
  for (const auto* command : subcommands(app)) names.push_back(command->get_name());
  if (names.empty()) return fmt::format("found \"{}\", expected no more arguments", word);
  return fmt::format("there is no command \"{}\"{}", word, did_you_mean(word, names));
}

}  // namespace

bool asks_for_nothing(const CLI::App& app) {
  const auto& command = innermost(app);
  return command.remaining().empty() && !subcommands(command).empty();
}

std::string describe_mistake(const CLI::App& app, const CLI::ParseError& error) {
  const auto& command = innermost(app);
  const auto name = full_name(command);
  const auto left = command.remaining();
  return fmt::format("{}: {}\n`{} --help` lists what may follow it\n", name,
                     left.empty() ? error.what() : unknown(command, left.front()), name);
}

}  // namespace pacbench::cli
