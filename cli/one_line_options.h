#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "harness/plan/one_line.h"

namespace pacbench::cli {

/// The options by which `pacbench exec` and `pacbench shell` say how many workers there are and
/// over which links.
struct OneLineOptions {
  plan::OneLine line;
  std::string link;  ///< a file or a scenario whose links are taken
};

/// Adds these options, and returns the last one: the COMMAND, which `help` describes.
CLI::Option& add_one_line_options(CLI::App& command, OneLineOptions& options, const char* help);

/// Reads the links that --link names into the line. Throws ConfigError where there is neither
/// --link nor --rate, or both, and as plan::scenario_path does.
void read_links(OneLineOptions& options);

}  // namespace pacbench::cli
