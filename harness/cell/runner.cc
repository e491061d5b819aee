#include "harness/cell/runner.h"

#include <algorithm>

#include "base/clock.h"
#include "base/start_process.h"
#include "contract/catalogue/program_method.h"
#include "contract/worker/nccl_environment.h"
#include "contract/worker/worker_spec.h"
#include "harness/cell/lone_child.h"
#include "harness/cell/moving_network.h"
#include "harness/cell/program.h"
#include "harness/cell/simulation.h"
#include "harness/cell/worker_watch.h"
#include "harness/links/fabric.h"
#include "harness/machine/process.h"
#include "harness/machine/python.h"

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
    for (auto& variable : nccl_environment(spec.rank, spec.interface)) {
      environment.push_back(std::move(variable));
    }
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
  const auto& methods = context.scenario.methods;
  spec.real_time = std::none_of(methods.begin(), methods.end(),
                                [](const auto& method) { return is_program(method); });
  for (spec.rank = 0; spec.rank < spec.workers; ++spec.rank) {
    spec.traits = worker_traits(context.scenario, spec.rank);
    spec.interface = fabric.interface(spec.rank);
    auto& worker = watch.add(to_json(spec).dump(), 1);
    auto fds = worker.channel.program_ends();
    for (const auto& fd : memory) fds.push_back(fd.get());
    const auto spawned = fabric.spawn(
        {spec.rank, worker_command(context.programs, spec), environment_of(spec)}, fds);
    worker.process = spawned.process;
    worker.pid = spawned.pid;
    worker.channel.started();
  }
  watch.run(fabric, [&] { network.turn(); });
  log.add(record::CellRecord::counters_event(fabric.counters()));
}

void learn(const RunContext& context, const plan::Cell& cell, const CellFiles& files,
           CellLog& log) {
  auto spec = worker_spec(context, cell, files);
  spec.role = "learn";
  spec.state_every = files.state_folder.empty() ? 0 : context.scenario.checkpoint_every;
  spec.state_folder = files.state_folder;
  spec.resume_state = files.resume_state;
  WorkerWatch watch{context, log};
  auto& worker = watch.add(to_json(spec).dump(), spec.workers);
  LoneChild host{start_process(worker_command(context.programs, spec), minimal_environment(),
                               worker.channel.program_ends())};
  worker.pid = host.pid();
  worker.channel.started();
  watch.run(host);
}

}  // namespace

void run_cell(const RunContext& context, const plan::Cell& cell, const CellFiles& files,
              CellLog& log) {
  if (is_program(cell.method)) return run_program(context, cell, log);
  if (!runs_workers(context.scenario)) return simulate(context, cell, log);
  has_network(context.scenario) ? emulate(context, cell, files, log)
                                : learn(context, cell, files, log);
}

}  // namespace pacbench::cell
