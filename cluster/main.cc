#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <string>

#include "base/environment.h"
#include "cluster/hub.h"
#include "cluster/made_links.h"
#include "cluster/messages.h"
#include "cluster/node.h"
#include "contract/fabric/fabric_spec.h"

namespace {

using namespace pacbench;
using namespace pacbench::cluster;

constexpr int kMostNodes = netd::CreateRequest::kMaxWorkers;

int rank_of_launcher() {
  for (const auto* name : {"SLURM_PROCID", "RANK"}) {
    const auto text = environment_value(name);
    int rank = -1;
    if (CLI::detail::lexical_cast(text, rank) && rank >= 0) return rank;
  }
  throw std::runtime_error{
      "found neither --rank nor SLURM_PROCID or RANK of a launcher; give --rank"};
}

std::string token() {
  const auto value = environment_value(kTokenVariable);
  if (!value.empty()) return value;
  throw std::runtime_error{fmt::format(
      "{} is not set; set it to the run's secret, which pacbench run --on torchrun prints (nodes "
      "under Slurm get it from pacbench)",
      kTokenVariable)};
}

void add_node(CLI::App& app, NodeOptions& node, std::string& hub) {
  auto* command = app.add_subcommand(
      "node",
      "Serves one rank on its host: joins the hub of a run and starts that rank's programs");
  command->add_option("hub", hub, "HOST:PORT of the hub")->required();
  command
      ->add_option("--rank", node.rank,
                   "Rank of this node; default: the launcher's (SLURM_PROCID or RANK)")
      ->check(CLI::Range(0, kMostNodes - 1));
  command->add_option("--interface", node.interface,
                      "Interface that exchanges cross; default: PACBENCH_INTERFACE, or else the "
                      "interface that leads to the hub");
  command->callback([&] {
    // CLI11 would read the variables of this command's options for the other commands, too.
    if (node.rank < 0) node.rank = rank_of_launcher();
    if (node.interface.empty()) node.interface = environment_value("PACBENCH_INTERFACE");
    const auto colon = hub.rfind(':');
    if (colon == std::string::npos) {
      throw std::runtime_error{fmt::format("found \"{}\", expected HOST:PORT of the hub", hub)};
    }
    node.hub = hub.substr(0, colon);
    node.port = hub.substr(colon + 1);
    node.token = token();
    run_node(node);
  });
}

void add_hub(CLI::App& app, HubOptions& hub) {
  auto* command = app.add_subcommand(
      "hub", "Connects the nodes of a run. pacbench run --on slurm, or --on torchrun, starts it");
  command->add_option("--socket", hub.socket, "Path at which pacbench connects")->required();
  command->add_option("--nodes", hub.nodes, "Number of nodes, one for each rank")
      ->check(CLI::Range(1, kMostNodes))
      ->required();
  command->add_option("--bind", hub.bind, "IPv4 address at which nodes connect; default: any");
  command->add_option("--port", hub.port,
                      "Port at which nodes connect; default: the kernel chooses one");
  command->add_flag("--share-hosts", hub.share_hosts, "Allow several nodes on one host");
  command->callback([&] {
    hub.token = token();
    run_hub(hub);
  });
}

/// The command by which a node runs programs in the namespace of the links that it has made.
void add_inside(CLI::App& app, std::string& address) {
  auto* command = app.add_subcommand("inside", "");
  command->group("");  // not shown
  command->add_option("address", address)->required();
  command->callback([&] { run_inside(address); });
}

}  // namespace

int main(int argc, char** argv) {
  // A write to a peer that has gone must not end this program: reading notices that the peer has
  // gone.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app{
      "Joins the hosts of a run. Node and hub need PACBENCH_CLUSTER_TOKEN, the secret of "
      "the run.",
      "pacbench-cluster"};
  app.require_subcommand(1);
  NodeOptions node;
  node.rank = -1;
  HubOptions hub;
  std::string words;
  add_node(app, node, words);
  add_hub(app, hub);
  add_inside(app, words);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pacbench-cluster {}: {}\n", argv[1], error.what());
    return 1;
  }
}
