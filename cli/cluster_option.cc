#include "cli/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "contract/scenario/fabric_request.h"
#include "harness/launch/measured_links.h"
#include "harness/store/manifest.h"

namespace pacbench::cli {
namespace {

launch::NodeGroup nodes_for(const Scenario& scenario, const Programs& programs) {
  launch::NodeGroup group{scenario.workers, programs.folder + "/pacbench-cluster", scenario.name};
  const auto& links = scenario.network.links;
  group.share_hosts =
      std::none_of(links.begin(), links.end(), [](const auto& link) { return link.measured; });
  return group;
}

/// Names a property of the link that nodes cannot make. Returns an empty text when there is none.
std::string beyond_nodes(const Scenario& scenario, const LinkProfile& link) {
  if (link.measured) return {};
  if (link.topology != "star") return fmt::format("the topology {}", link.topology);
  if (link.schedule.any()) return "a schedule of rates";
  if (!link.loads.empty()) return "competing loads";
  const auto request = fabric_request(scenario, link);
  for (const auto& name : netd::direction_names(request)) {
    if (netd::find_direction(request, name)->impairment.any()) {
      return "delay, loss or reordering";
    }
  }
  return {};
}

void say(const std::string& line) { fmt::print(stderr, "{}\n", line); }

}  // namespace

void add_cluster_options(CLI::App& command, launch::ClusterOptions& options) {
  command
      .add_option(
          "--on", options.on,
          "Where the workers run: slurm (a job with one task for each worker), or torchrun (prints "
          "the commands to type on hosts without a scheduler); default: this machine")
      ->check(CLI::IsMember({"slurm", "torchrun"}));
  command.add_option("--sbatch", options.sbatch,
                     "More arguments for sbatch, as one quoted argument: \"--partition=gpu "
                     "--gres=gpu:1 --time=2:00:00\"");
  command.add_option("--address", options.address,
                     "Name or IPv4 address of this host as the nodes reach it (default: its name)");
  add_checked(command, "--join-s", options.join_s,
              "Seconds within which all nodes must join once Slurm has started them",
              CLI::Range(1, 86400));
}

void check_links(const Scenario& scenario, const launch::ClusterOptions& options) {
  std::vector<Issue> issues;
  if (options.on.empty() && !has_network(scenario)) return;  // mode learn has no links
  const auto& links = scenario.network.links;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto pointer = fmt::format("/network/links/{}", i);
    if (options.on.empty() && links[i].measured) {
      issues.push_back({pointer,
                        "found a measured link, but without --on there are no hosts of a cluster "
                        "to measure; expected --on slurm or --on torchrun, or a link with a "
                        "rate_mbit"});
    }
    if (options.on.empty()) continue;
    if (const auto found = beyond_nodes(scenario, links[i]); !found.empty()) {
      issues.push_back({pointer, fmt::format("found {}, which the nodes of a cluster cannot make; "
                                             "expected a star of links with rates and queues, or "
                                             "{{\"name\": \"as-is\", \"measured\": true}}",
                                             found)});
    }
  }
  if (!options.on.empty() && !makes_links(scenario)) {
    issues.push_back(
        {"/mode", fmt::format("found mode \"{}\", which runs on one host; expected no --on, or "
                              "mode \"emulate\" or \"compose\"",
                              word_of(scenario.mode))});
  }
  if (!issues.empty()) throw ConfigError{scenario.name, issues};
}

std::string describe_launch(const Scenario& scenario, const launch::ClusterOptions& options,
                            const Programs& programs) {
  return launch::describe(options, nodes_for(scenario, programs));
}

std::unique_ptr<launch::Cluster> join_cluster(Scenario& scenario,
                                              const launch::ClusterOptions& options,
                                              Programs& programs, const std::string& resumed,
                                              const Catalogue& catalogue) {
  auto nodes = std::make_unique<launch::Cluster>(options, nodes_for(scenario, programs), &say);
  programs.daemon = nodes->socket();
  // A run that was stopped while it was tuned has no folder yet.
  if (!resumed.empty() && std::filesystem::exists(resumed + "/manifest.json")) {
    const auto recorded = store::read_manifest(resumed).scenario;
    scenario = launch::with_links_of(
        scenario, scenario_from_json(resumed + "/manifest.json", recorded, catalogue));
  }
  if (launch::has_unknown_links(scenario)) {
    scenario = launch::with_measured_links(scenario, programs, &say);
  }
  return nodes;
}

}  // namespace pacbench::cli
