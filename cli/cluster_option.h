#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "contract/catalogue/catalogue.h"
#include "contract/scenario/scenario.h"
#include "harness/launch/cluster.h"
#include "harness/machine/programs.h"

namespace pacbench::cli {

/// Adds --on, --sbatch and --address to a subcommand.
void add_cluster_options(CLI::App& command, launch::ClusterOptions& options);

/// Throws ConfigError when the scenario's links do not fit the options: --on needs measured links,
/// a run without it declared ones.
void check_links(const Scenario& scenario, const launch::ClusterOptions& options);

/// The commands that would start nodes for the scenario, as text.
std::string describe_launch(const Scenario& scenario, const launch::ClusterOptions& options,
                            const Programs& programs);

/// Starts the nodes for the scenario and has `programs` use them. Rates of its measured links are
/// filled in: those that the run in `resumed` has recorded (empty: a new run), or measured now.
std::unique_ptr<launch::Cluster> join_cluster(Scenario& scenario,
                                              const launch::ClusterOptions& options,
                                              Programs& programs, const std::string& resumed,
                                              const Catalogue& catalogue);

}  // namespace pacbench::cli
