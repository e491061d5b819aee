#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/network/network.h"
#include "contract/scenario/compose.h"
#include "contract/scenario/gate.h"
#include "contract/scenario/mode.h"
#include "contract/scenario/program.h"
#include "contract/scenario/simulate.h"
#include "contract/scenario/time_dilation.h"
#include "contract/scenario/tune.h"
#include "contract/scenario/worker_speed.h"
#include "contract/scenario/worker_traits.h"
#include "contract/scenario/workload.h"

namespace pacbench {

struct SlowWorker {
  int worker = 0;
  WorkerTraits traits;
};

/// One scenario file, valid against a catalogue and complete. The table below says what its simple
/// keys mean.
struct Scenario {
  static constexpr int kVersion = 1;

  std::string name;
  Mode mode = Mode::kEmulate;
  int workers = 8;
  TimeDilation time_dilation;
  WorkerSpeed worker_speed;  ///< as `network`, of no meaning in mode learn
  double encode_speed = 1;   ///< of a worker, as a multiple of a core of this machine; as above
  /// cpu; cuda: rank r on GPU r, in mode learn all ranks on the first GPU; auto: as
  /// harness/plan/plan.h decides.
  std::string device = "cpu";
  /// The backend of collectives: gloo, from host memory; nccl, from GPUs; auto, chosen together
  /// with device auto. On the CPU and in mode learn, backend and share_gpus have no meaning, and
  /// the canonical form leaves them out.
  std::string backend = "gloo";
  bool share_gpus = false;
  double timeout_s = 60;
  std::int64_t quality_every = 0;
  std::int64_t checkpoint_every = 100;
  Network network;  ///< of no meaning in mode learn, and not in its canonical form
  std::vector<SlowWorker> slow_workers;  ///< as `network`, of no meaning in mode learn
  Workload workload;                     ///< of no meaning where programs run alone
  std::optional<Program> program;        ///< the program that methods named "program" run
  /// The folder in which the files of users' classes (python_name.h) lie; absolute, or empty where
  /// the scenario names none.
  std::string python_folder;
  std::vector<MethodEntry> methods;
  std::optional<Tune> tune;     ///< how the methods' settings and rates are chosen before they run
  std::vector<Target> targets;  ///< the last one of each metric is the hardest to reach
  /// Shares of all-reduce's final accuracy (the median of its seeds), ascending. Until the run has
  /// that accuracy, `targets` has no accuracies. Afterwards it has these shares of that accuracy.
  std::vector<double> target_shares;
  /// Shares of all-reduce's iterations, ascending. The losses among `targets` are all-reduce's
  /// losses after these shares of its iterations (the medians of its seeds). They too are known
  /// only when all-reduce has ended.
  std::vector<double> loss_shares;
  std::vector<std::int64_t> seeds;
  std::vector<Gate> gates;           ///< bounds against which `pacbench gate` checks a run
  std::optional<Compose> compose;    ///< only in modes compose and simulate
  std::optional<Simulate> simulate;  ///< only in mode simulate
};

// The simple keys of a scenario, for reader, writer and schema. Other keys have code of their own:
// version, network, compose, simulate, workload, program, methods, tune, seeds and targets.

template <>
struct JsonFields<SlowWorker> {
  using T = SlowWorker;
  static constexpr auto kAll = std::tuple_cat(
      std::tuple{required("worker", &T::worker, Range{0.0, kMostSimulatedWorkers - 1.0})},
      std::apply([](const auto&... keys) { return std::tuple{of_part(&T::traits, keys)...}; },
                 JsonFields<WorkerTraits>::kAll));

  static void check(ObjectReader& reader, const T&) {
    if (reader.has("compute_factor") || reader.has("start_delay_s")) return;
    reader.complain("compute_factor", "missing, expected compute_factor or start_delay_s");
  }
};

template <>
struct JsonFields<Scenario> {
  using T = Scenario;
  static constexpr std::array kDevices{"cpu", "cuda", "auto"};
  static constexpr std::array kBackends{"gloo", "nccl"};
  static constexpr Range kEvery{0.0, 1e9};
  static constexpr std::tuple kAll{
      required("name", &T::name, Bounds::folder_name()),
      defaulted("mode", &T::mode, {},
                "emulate: processes over shaped links; learn: learning curves alone, all ranks in "
                "one process, no network; compose: exchanges over shaped links, with sleeps in "
                "place of computing, as long as a profile says; simulate: the same over a model of "
                "the links, for up to 1024 workers"),
      defaulted("workers", &T::workers, Range{2.0, 1.0 * kMostSimulatedWorkers},
                "at most 128 in all modes but simulate"),
      sparse("time_dilation", &T::time_dilation, {},
             "how many times slower than the clock links, computing and the recorded time run, so "
             "that workers get more of a core each; auto: so many that each has two cores, one "
             "that computes and one that encodes (mode compose: the latter alone)"),
      sparse("worker_speed", &T::worker_speed, {},
             "how fast forward and backward of a worker are, as a multiple of a core of this "
             "machine, or as the milliseconds of an iteration; ignored in mode learn"),
      sparse("encode_speed", &T::encode_speed, WorkerSpeed::kTimes,
             "how fast a worker encodes and decodes, as a multiple of a core of this machine; "
             "ignored in mode learn"),
      defaulted("device", &T::device, kDevices,
                "where workers compute; cuda: rank r on GPU r, in mode learn all on the first; "
                "auto: cuda where this machine has the GPUs for that, else cpu"),
      apart(defaulted("backend", &T::backend, kBackends,
                      "what carries collectives: gloo, from memory of the host; nccl, from GPUs, "
                      "device cuda only; with device auto and no backend, nccl where it can be "
                      "used")),
      defaulted("share_gpus", &T::share_gpus, {},
                "with fewer GPUs than workers, rank r computes on GPU r modulo their number; "
                "devices cuda and auto only"),
      defaulted("timeout_s", &T::timeout_s, Range{1.0, 86400.0},
                "seconds; a cell in which no worker reports for this long has failed"),
      defaulted("quality_every", &T::quality_every, kEvery,
                "iterations between comparisons of the aggregated gradient with the exact mean, "
                "off the training clock; 0: never"),
      defaulted("checkpoint_every", &T::checkpoint_every, kEvery,
                "mode learn: iterations between saved states, from which a cell that was broken "
                "off goes on; 0: none are saved"),
      sparse("slow_workers", &T::slow_workers, {},
             "workers that are made to compute more slowly; ignored in mode learn"),
      sparse("python_folder", &T::python_folder, Bounds::or_empty(),
             "folder of the files of Python classes that the scenario names; by default its own"),
      sparse("gates", &T::gates, {}, "bounds that a run must keep, for pacbench gate")};
};

/// Whether all-reduce sets some targets. These are known only when the run has ended.
inline bool has_shares(const Scenario& scenario) {
  return !scenario.target_shares.empty() || !scenario.loss_shares.empty();
}
inline bool uses_gpus(const Scenario& scenario) { return scenario.device == "cuda"; }
inline bool uses_nccl(const Scenario& scenario) {
  return scenario.backend == "nccl" && has_network(scenario);
}

/// Whether all methods are programs of the user's own, so that there is no workload.
bool is_program_alone(const Scenario& scenario);

/// Whether the cells of a method run in Python: its class or the task is a user's.
bool runs_python(const Scenario& scenario, const MethodEntry& method);

/// The traits of a worker: those of its entry in slow_workers, or the defaults, at worker_speed.
WorkerTraits worker_traits(const Scenario& scenario, int worker);

/// The workload that a method trains: the scenario's workload, with the method's own learning rate
/// if it has one.
Workload workload_of(const Scenario& scenario, const MethodEntry& method);

/// The link profiles of the cells; in mode learn a single one named "none", of rate 0.
std::vector<LinkProfile> link_profiles(const Scenario& scenario);

/// Reads a scenario. Throws ConfigError with its problems, each with its JSON pointer. Some checks
/// are made only where there is no other problem.
Scenario scenario_from_json(const std::string& source, const Json& document,
                            const Catalogue& catalogue);

/// The canonical form: every default filled in, keys sorted, and keys left out that have no meaning
/// in the scenario's mode or on its device.
Json to_json(const Scenario& scenario);

/// The part of the canonical form that must agree between runs that are merged and compared. It
/// lacks name, seeds, methods, their tuning, targets and gates. It lacks timeout_s, quality_every
/// and checkpoint_every, which change neither training nor its clock. It also lacks paths: of the
/// curve of "compose", of initial weights, and of a program's folder.
Json compared_part(Json canonical);

/// The part of the canonical form that a run was asked for. It lacks the targets that follow from
/// all-reduce's results, which are known only at the end. It also lacks gates, which judge a run
/// and change nothing in it.
Json asked_part(Json canonical);

std::string comparison_hash(const Scenario& scenario);

/// SHA-256 of the asked part. --resume requires that the interrupted run has the same hash.
std::string scenario_hash(const Scenario& scenario);

Json scenario_schema(const Catalogue& catalogue);

}  // namespace pacbench
