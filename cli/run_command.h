#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "contract/catalogue/catalogue.h"
#include "contract/scenario/scenario.h"
#include "harness/launch/cluster.h"
#include "harness/machine/programs.h"
#include "harness/plan/one_line.h"

namespace pacbench::cli {

/// The options of `pacbench run`.
struct RunOptions {
  std::string scenario;
  std::string out;
  std::vector<std::string> overrides;
  std::vector<std::string> only;
  std::string daemon = "auto";
  launch::ClusterOptions cluster;
  std::string format = "text";
  bool resume = false;
  bool dry_run = false;
  bool no_progress = false;
  bool accept_suspect = false;
  std::vector<std::string> again;
};

/// Runs all cells of a scenario, prints its table, and returns the exit code.
int run_cells(const RunOptions& typed);

/// Adds --on, --sbatch, --address and --join-s to a subcommand.
void add_cluster_options(CLI::App& command, launch::ClusterOptions& options);

/// Throws ConfigError when the scenario does not fit the options. With --on, each link must be
/// measured, or one that nodes can make: a star with rates and queues only. The mode must then be
/// emulate or compose. Without --on, no link may be measured, except in mode learn, which uses no
/// links.
void check_links(const Scenario& scenario, const launch::ClusterOptions& options);

/// The commands that would start nodes for the scenario, as text.
std::string describe_launch(const Scenario& scenario, const launch::ClusterOptions& options,
                            const Programs& programs);

/// Starts the nodes for the scenario and sets `programs.daemon` to their hub's socket. Fills in the
/// values of the scenario's measured links: from the record of the run in folder `resumed` (empty:
/// a new run), and by measuring the links that are still unknown. The nodes end with the returned
/// object.
std::unique_ptr<launch::Cluster> join_cluster(Scenario& scenario,
                                              const launch::ClusterOptions& options,
                                              Programs& programs, const std::string& resumed,
                                              const Catalogue& catalogue);

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
