#include "cli/command.h"

namespace pacbench::cli {

void add_set_option(CLI::App& command, std::vector<std::string>& assignments) {
  command.add_option("--set", assignments, "Change a value: /json/pointer=VALUE (may be repeated)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace pacbench::cli
