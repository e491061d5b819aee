#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/catalogue/choice.h"

namespace pacbench {

struct Schedule {
  std::string kind = "constant";         ///< constant, step or cosine
  std::vector<std::int64_t> milestones;  ///< step: iterations after which gamma applies
  double gamma = 0.1;
};

/// The name of an optimiser that a user's task makes itself.
inline constexpr const char* kOwnOptimizer = "own";

struct Optimizer {
  std::string name = "sgd";  ///< or adam, adamw, lion; or kOwnOptimizer
  double lr = 0;
  double momentum = 0;  ///< of sgd
  double beta1 = 0.9;   ///< of adam, adamw and lion
  double beta2 = 0.999;
  double eps = 1e-8;  ///< of adam and adamw
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
  /// Samples of the test set, or of the validation samples, that are evaluated. They are drawn once
  /// for all runs. 0: all.
  std::int64_t evaluate_samples = 0;
  /// Training samples, drawn once for all runs, that are not trained on. They are evaluated in
  /// place of the test set, so that options can be chosen without it. 0: none.
  std::int64_t validation_samples = 0;
  std::string stop = "iterations";  ///< iterations: at the last one; targets: when all are reached
};

}  // namespace pacbench
