#include <fmt/format.h>

#include <memory>
#include <set>

#include "cli/command.h"
#include "harness/machine/programs.h"
#include "harness/plan/scenario_file.h"

namespace pacbench::cli {
namespace {

/// The commands whose argument may be the name of a scenario.
const std::set<std::string> kTakeScenarios{"run", "validate", "costs", "profile"};

// Each script asks pacbench for the words. Bash completes a path where no word fits; zsh and fish
// offer paths as well.
constexpr const char* kBash = R"sh(_pacbench() {
  local word=${COMP_WORDS[COMP_CWORD]}
  mapfile -t COMPREPLY < <(compgen -W "$(pacbench __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "$word")
}
complete -o default -F _pacbench pacbench
)sh";
constexpr const char* kZsh = R"sh(#compdef pacbench
_pacbench() {
  local -a known
  known=(${(f)"$(pacbench __complete ${words[2,CURRENT-1]})"})
  compadd -- $known
  _files
}
if [[ $funcstack[1] == _pacbench ]]; then  # as a file of fpath it is called when it is first needed
  _pacbench
else
  compdef _pacbench pacbench
fi
)sh";
constexpr const char* kFish = R"sh(function __pacbench_words
  set -l words (commandline -opc)
  pacbench __complete $words[2..-1]
end
complete -c pacbench -a '(__pacbench_words)'
)sh";

const char* script_for(const std::string& shell) {
  return shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish;
}

}  // namespace

void add_completion(CLI::App& app, int&) {
  auto* command = app.add_subcommand(
      "completion", "Print a script with which a shell completes the words of pacbench's commands");
  const auto shell = std::make_shared<std::string>();
  command
      ->add_option("SHELL", *shell,
                   "The shell. Put `source <(pacbench completion bash)` into ~/.bashrc, `source "
                   "<(pacbench completion zsh)` into ~/.zshrc after compinit, or `pacbench "
                   "completion fish | source` into config.fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  command->callback([shell] { fmt::print("{}", script_for(*shell)); });
}

std::vector<std::string> words_that_may_follow(const CLI::App& app,
                                               const std::vector<std::string>& typed) {
  const CLI::App* command = &app;
  for (const auto& word : typed) {
    const auto named =
        command->get_subcommands([&](const CLI::App* inner) { return inner->get_name() == word; });
    if (!named.empty()) command = named.front();
  }
  std::vector<std::string> words;
  for (const auto* inner : command->get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(inner->get_name());
  }
  for (const auto* option : command->get_options()) {
    for (const auto& name : option->get_lnames()) words.push_back("--" + name);
  }
  if (!kTakeScenarios.contains(command->get_name())) return words;
  for (const auto& scenario : plan::shipped_scenarios(shipped_folders("scenarios"))) {
    words.push_back(scenario.name);
  }
  return words;
}

}  // namespace pacbench::cli
