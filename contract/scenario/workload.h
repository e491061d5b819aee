#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json/checked_keys.h"
#include "contract/catalogue/choice_json.h"

namespace pacbench {

struct Schedule {
  std::string kind = "constant";
  std::vector<std::int64_t> milestones;
  double gamma = 0.1;
};

/// The name of an optimiser that a user's task makes itself.
inline constexpr const char* kOwnOptimizer = "own";

struct Optimizer {
  std::string name = "sgd";
  double lr = 0;
  double momentum = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  Schedule schedule = {};
};

/// The source of the weights before the training clock starts.
struct Initial {
  /// random: drawn; pretrain: trained on `dataset` before the run, with the `iterations`, `batch`
  /// and `lr` below; file: read from `path`.
  std::string kind = "random";
  Choice dataset;
  std::int64_t iterations = 200;
  std::int64_t batch = 128;
  double lr = 0.1;
  std::string path = {};    ///< absolute
  std::string sha256 = {};  ///< of the file
  static constexpr std::int64_t kMostFileBytes = std::int64_t{16} << 30;
};

struct Workload {
  Choice model;
  Choice dataset;
  std::int64_t batch_per_worker = 0;
  Optimizer optimizer;
  Initial initial;
  std::int64_t max_iterations = 0;
  std::int64_t evaluate_every = 0;
  std::int64_t evaluate_samples = 0;  ///< drawn once for all runs, as are the validation samples
  std::int64_t validation_samples = 0;
  std::string stop = "iterations";
};

template <>
struct JsonFields<Schedule> {
  using T = Schedule;
  static constexpr auto kKind = &T::kind;
  static constexpr std::array kKinds{"constant", "step", "cosine"};
  static constexpr std::array kStep{"step"};
  static constexpr std::tuple kAll{
      required("kind", &T::kind, kKinds, "cosine: from lr to 0 after max_iterations"),
      required("milestones", &T::milestones, Range::at_least(1),
               "iterations after which lr is multiplied by gamma")
          .of_kinds(kStep),
      defaulted("gamma", &T::gamma, Range::ratio()).of_kinds(kStep)};
};

/// Each optimizer has only its own keys, so that a scenario's hash does not depend on the keys of
/// the others.
template <>
struct JsonFields<Optimizer> {
  using T = Optimizer;
  static constexpr auto kKind = &T::name;
  static constexpr std::array kNames{"sgd", "adam", "adamw", "lion", kOwnOptimizer};
  static constexpr std::array kOurs{"sgd", "adam", "adamw", "lion"};
  static constexpr std::array kSgd{"sgd"};
  static constexpr std::array kAdaptive{"adam", "adamw", "lion"};
  static constexpr std::array kAdam{"adam", "adamw"};
  static constexpr Range kDecay{0.0, 0.9999};
  static constexpr std::tuple kAll{
      required("name", &T::name, kNames,
               "own: that of the task (FILE.py:CLASS), optimizer(model, lr)"),
      required("lr", &T::lr, Range::positive()),
      defaulted("momentum", &T::momentum, Range{0.0, 1.0}).of_kinds(kSgd),
      defaulted("beta1", &T::beta1, kDecay).of_kinds(kAdaptive),
      defaulted("beta2", &T::beta2, kDecay).of_kinds(kAdaptive),
      defaulted("eps", &T::eps, Range::positive()).of_kinds(kAdam),
      defaulted("weight_decay", &T::weight_decay, Range::at_least(0)).of_kinds(kOurs),
      defaulted("schedule", &T::schedule)};

  static T of(const std::string& name) {
    T optimizer;
    if (name == "lion") optimizer.beta2 = 0.99;
    return optimizer;
  }
};

template <>
struct JsonFields<Initial> {
  using T = Initial;
  static constexpr auto kKind = &T::kind;
  static constexpr std::array kKinds{"random", "pretrain", "file"};
  static constexpr std::array kPretrain{"pretrain"};
  static constexpr std::array kFile{"file"};
  static constexpr std::tuple kAll{
      required("kind", &T::kind, kKinds),
      apart(required("dataset", &T::dataset).of_kinds(kPretrain)),
      defaulted("iterations", &T::iterations, Range::at_least(1)).of_kinds(kPretrain),
      defaulted("batch", &T::batch, Range::at_least(1)).of_kinds(kPretrain),
      defaulted("lr", &T::lr, Range::positive()).of_kinds(kPretrain),
      apart(required("path", &T::path, {},
                     "a state_dict as torch.save (zip) or safetensors writes it; relative to the "
                     "scenario's folder")
                .of_kinds(kFile)),
      apart(defaulted("sha256", &T::sha256, {},
                      "SHA-256 of the file; a file with another one is refused")
                .of_kinds(kFile))};
};

template <>
struct JsonFields<Workload> {
  using T = Workload;
  static constexpr std::array kStops{"iterations", "targets"};
  static constexpr Range kIterations{1.0, 1e9};
  static constexpr std::tuple kAll{
      apart(required("model", &T::model)),
      apart(required("dataset", &T::dataset)),
      required("batch_per_worker", &T::batch_per_worker, Range{1.0, 65536.0}),
      required("optimizer", &T::optimizer),
      apart(defaulted("initial", &T::initial, {},
                      "weights before the training clock starts, shared by all methods")),
      required("max_iterations", &T::max_iterations, kIterations),
      required("evaluate_every", &T::evaluate_every, kIterations,
               "iterations between evaluations, which take no time on the training clock"),
      sparse("evaluate_samples", &T::evaluate_samples, Range::at_least(0),
             "samples of the test set, the same ones for every method and seed; 0: all of it"),
      sparse("validation_samples", &T::validation_samples, Range::at_least(0),
             "samples of the training set, the same ones for every method and seed, that are not "
             "trained on but evaluated in place of the test set, to choose options; 0: none"),
      defaulted("stop", &T::stop, kStops,
                "iterations: all cells run to max_iterations; targets: a cell ends when the last "
                "target is reached")};
};

}  // namespace pacbench
