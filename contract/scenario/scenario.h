#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/catalogue/catalogue.h"
#include "contract/catalogue/method_entry.h"
#include "contract/network/network.h"
#include "contract/scenario/compose.h"
#include "contract/scenario/gate.h"
#include "contract/scenario/mode.h"
#include "contract/scenario/program.h"
#include "contract/scenario/simulate.h"
#include "contract/scenario/target.h"
#include "contract/scenario/time_dilation.h"
#include "contract/scenario/tune.h"
#include "contract/scenario/worker_speed.h"
#include "contract/scenario/worker_traits.h"
#include "contract/scenario/workload.h"

namespace pacbench {

/// A worker that is slower than the others.
struct SlowWorker {
  int worker = 0;
  WorkerTraits traits;
};

/// One scenario file, valid against a catalogue and complete.
struct Scenario {
  static constexpr int kVersion = 1;

  std::string name;
  Mode mode = Mode::kEmulate;
  int workers = 8;
  TimeDilation time_dilation;
  WorkerSpeed worker_speed;  ///< as `network`, of no meaning in mode learn
  double encode_speed = 1;   ///< of a worker, as a multiple of a core of this machine; as above
  /// cpu; cuda: rank r on GPU r, in mode learn all ranks on the first GPU; auto: as
  /// harness/plan/device_decision.h decides.
  std::string device = "cpu";
  /// The backend of collectives: gloo, from host memory; nccl, from GPUs; auto, chosen together
  /// with device auto. On the CPU and in mode learn, backend and share_gpus have no meaning, and
  /// the canonical form leaves them out.
  std::string backend = "gloo";
  bool share_gpus = false;  ///< rank r uses GPU r modulo the number of GPUs when these are too few
  double timeout_s = 60;    ///< a cell in which no worker reports for this long has failed
  /// Iterations between comparisons of the aggregated gradient with the exact mean; 0: never.
  std::int64_t quality_every = 0;
  /// Iterations between saved states from which an interrupted cell resumes (learn only); 0: never.
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

/// SHA-256 of the compared part.
std::string comparison_hash(const Scenario& scenario);

/// SHA-256 of the asked part. --resume requires that the interrupted run has the same hash.
std::string scenario_hash(const Scenario& scenario);

/// The JSON Schema (draft-07) of a scenario for this catalogue.
Json scenario_schema(const Catalogue& catalogue);

}  // namespace pacbench
