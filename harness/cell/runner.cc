#include "harness/cell/runner.h"

#include <algorithm>
#include <iterator>

#include "base/clock.h"
#include "contract/catalogue/method_entry.h"
#include "contract/network/link_facts.h"
#include "contract/scenario/fabric_request.h"
#include "contract/worker/nccl_environment.h"
#include "contract/worker/simulation_spec.h"
#include "contract/worker/worker_spec.h"
#include "harness/cell/moving_network.h"
#include "harness/cell/program.h"
#include "harness/cell/worker_watch.h"
#include "harness/links/fabric.h"
#include "harness/links/slot_host.h"
#include "harness/machine/process.h"
#include "harness/machine/python.h"
#include "harness/record/sleeps.h"

namespace pacbench::cell {
namespace {

constexpr std::int64_t kControlBytes = 4 * 4096;

WorkerSpec worker_spec(const RunContext& context, const plan::Cell& cell, const CellFiles& files) {
  const auto& scenario = context.scenario;
  WorkerSpec spec;
  spec.workers = scenario.workers;
  spec.seed = cell.seed;
  spec.device = scenario.device;
  spec.backend = scenario.backend;
  spec.share_gpus = scenario.share_gpus;
  spec.link = link_facts(cell.link);
  // The workers' own timeout is longer than the harness's, since the harness knows better which
  // worker is silent. The difference also covers the start of the slowest worker.
  spec.timeout_s = scenario.timeout_s * time_dilation + kStartAllowanceS;
  spec.workload = workload_of(scenario, cell.method);
  spec.method = cell.method.choice;
  spec.targets = scenario.targets;
  spec.data_folder = context.data_folder;
  spec.python_folder = scenario.python_folder;
  spec.checkpoint = files.checkpoint;
  spec.quality_every = scenario.quality_every;
  spec.time_dilation = time_dilation;
  spec.compose = scenario.compose;
  if (spec.compose) spec.role = "compose";
  return spec;
}

std::vector<std::string> environment_of(const WorkerSpec& spec) {
  auto environment = minimal_environment();
  // TCPStore of torch warns of every host that has no name, which is no failure: show errors alone.
  if (!spec.rendezvous.empty()) environment.push_back("TORCH_CPP_LOG_LEVEL=ERROR");
  if (spec.backend == "nccl") {
    std::ranges::move(nccl_environment(spec.rank, spec.interface), std::back_inserter(environment));
  }
  return environment;
}

/// The memory files that the ranks of one host share, in the order of the workers' descriptors
/// (contract/worker/worker_spec.h).
std::vector<UniqueFd> shared_memory() {
  std::vector<UniqueFd> memory;
  memory.push_back(memory_file("pacbench-rendezvous", 0));
  memory.push_back(memory_file("pacbench-control", kControlBytes));
  memory.push_back(memory_file("pacbench-gradients", 0));
  return memory;
}

/// Starts a worker, whose descriptors are those of its channel and then `memory`.
void start(WorkerState& worker, links::SlotHost& host, const netd::SpawnRequest& request,
           const std::vector<UniqueFd>& memory = {}) {
  auto fds = worker.channel.program_ends();
  for (const auto& fd : memory) fds.push_back(fd.get());
  const auto spawned = host.spawn(request, fds);
  worker.process = spawned.process;
  worker.pid = spawned.pid;
  worker.channel.started();
}

void emulate(const RunContext& context, const plan::Cell& cell, const CellFiles& files,
             CellLog& log) {
  links::Fabric fabric{context.programs.daemon, daemon_request(context.scenario, cell.link)};
  context.on_created(fabric.created());
  MovingNetwork network{fabric, context, cell.link, log};
  const auto memory = fabric.spans_hosts() ? std::vector<UniqueFd>{} : shared_memory();
  WorkerWatch watch{context, log};
  auto spec = worker_spec(context, cell, files);
  spec.rendezvous = fabric.created().rendezvous;
  spec.compute_ms = context.scenario.worker_speed.compute_ms;
  spec.encode_speed = context.scenario.encode_speed;
  spec.real_time = std::ranges::none_of(context.scenario.methods, is_program);
  for (spec.rank = 0; spec.rank < spec.workers; ++spec.rank) {
    spec.traits = worker_traits(context.scenario, spec.rank);
    spec.interface = fabric.interface(spec.rank);
    start(watch.add(to_json(spec).dump(), 1), fabric,
          {spec.rank, worker_command(context.programs, spec), environment_of(spec)}, memory);
  }
  watch.run(fabric, [&] { network.turn(); });
  log.add(record::CellRecord::counters_event(fabric.counters()));
}

/// Runs one program that speaks for all ranks, as a child of this process.
void run_for_all_ranks(const RunContext& context, const std::vector<std::string>& command,
                       const Json& spec, CellLog& log) {
  WorkerWatch watch{context, log};
  links::ThisHost host;
  start(watch.add(spec.dump(), context.scenario.workers), host,
        {0, command, minimal_environment()});
  watch.run(host);
}

void learn(const RunContext& context, const plan::Cell& cell, const CellFiles& files,
           CellLog& log) {
  auto spec = worker_spec(context, cell, files);
  spec.role = "learn";
  spec.state_every = files.state_folder.empty() ? 0 : context.scenario.checkpoint_every;
  spec.state_folder = files.state_folder;
  spec.resume_state = files.resume_state;
  run_for_all_ranks(context, worker_command(context.programs, spec), to_json(spec), log);
}

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

/// The task of pacbench-simulate for a cell of mode simulate. Throws std::invalid_argument when the
/// scenario's compose.profile has no exchanges of the method over the cell's link.
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
  spec.profile = compose.profile;
  spec.profile.exchanges = {record::profiled_exchanges(scenario, cell)};
  return spec;
}

}  // namespace

void run_cell(const RunContext& context, const plan::Cell& cell, const CellFiles& files,
              CellLog& log) {
  if (is_program(cell.method)) return run_program(context, cell, log);
  if (!runs_workers(context.scenario)) {
    return run_for_all_ranks(context, {context.programs.simulator},
                             to_json(simulation_spec(context.scenario, cell)), log);
  }
  has_network(context.scenario) ? emulate(context, cell, files, log)
                                : learn(context, cell, files, log);
}

}  // namespace pacbench::cell
