#include "harness/cell/simulation.h"

#include <stdexcept>

#include "base/start_process.h"
#include "contract/catalogue/choice_json.h"
#include "contract/network/link_facts.h"
#include "contract/scenario/fabric_request.h"
#include "harness/cell/lone_child.h"
#include "harness/cell/worker_watch.h"
#include "harness/machine/process.h"

namespace pacbench::cell {
namespace {

SimulatedLinks links_of(const Scenario& scenario, const LinkProfile& link) {
  SimulatedLinks links;
  links.topology = link.topology;
  if (!is_simulated_only(link.topology)) {
    links.tree = fabric_request(scenario, link);
    return links;
  }
  links.shape = link.shape;
  links.rate_mbit = link.up_mbit * shaped_share(scenario.network);
  links.delay_ms = link.impairment.delay_ms;
  return links;
}

}  // namespace

SimulationSpec simulation_spec(const Scenario& scenario, const plan::Cell& cell) {
  const auto& compose = scenario.compose.value();
  SimulationSpec spec;
  spec.workers = scenario.workers;
  spec.iterations = compose.iterations;
  spec.seed = cell.seed;
  for (int rank = 0; rank < scenario.workers; ++rank) {
    spec.traits.push_back(worker_traits(scenario, rank));
  }
  spec.links = links_of(scenario, cell.link);
  spec.mtu = scenario.network.mtu;
  spec.model = scenario.simulate.value();
  const auto* exchanges =
      find_exchanges(compose.profile.exchanges, choice_to_json(cell.method.choice),
                     scenario.workers, link_facts(cell.link));
  if (exchanges == nullptr) {
    throw std::invalid_argument{
        "the profile has no exchanges for this cell's method, workers and link"};
  }
  spec.profile = compose.profile;
  spec.profile.exchanges = {*exchanges};
  return spec;
}

void simulate(const RunContext& context, const plan::Cell& cell, CellLog& log) {
  WorkerWatch watch{context, log};
  auto& worker =
      watch.add(to_json(simulation_spec(context.scenario, cell)).dump(), context.scenario.workers);
  LoneChild host{start_process({context.programs.simulator}, minimal_environment(),
                               worker.channel.program_ends())};
  worker.pid = host.pid();
  worker.channel.started();
  watch.run(host);
}

}  // namespace pacbench::cell
