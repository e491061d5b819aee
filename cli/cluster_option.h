#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "contract/catalogue/catalogue.h"
#include "contract/scenario/scenario.h"
#include "harness/launch/cluster.h"
#include "harness/machine/programs.h"

namespace pacbench::cli {

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

}  // namespace pacbench::cli
