#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/store/read_result.h"

namespace pacbench::reproduce {

/// The figures of one arm (a method with its options) in a made-up run.
struct MadeArm {
  Json method;                                    ///< of a canonical scenario
  double step_s = 1;                              ///< at 1000 Mbit/s, with the first seed
  double megabytes = 100;                         ///< sent per iteration, as declared
  std::optional<std::int64_t> iterations = 1000;  ///< to every target
  double accuracy = 0.90;                         ///< final
};

MadeArm all_reduce(double step_s, double megabytes = 400);
MadeArm fp16(double step_s, double megabytes = 200);
MadeArm top_k(double ratio, double step_s, double megabytes = 320);
MadeArm masked(double step_s, double megabytes = 200);
MadeArm masked_ternary(double step_s, double megabytes = 50, const std::string& encoding = "int8");

MadeArm at_ratio(double ratio, MadeArm arm);
MadeArm in_iterations(std::optional<std::int64_t> iterations, MadeArm arm);
MadeArm ending_at(double accuracy, MadeArm arm);

/// Arms for the paper's Fig. 5. The ternary arm's steps are 5.7 times as fast as all-reduce's.
std::vector<MadeArm> figure_5();

/// The setting of the paper's Fig. 5, unless it is changed.
struct MadeRun {
  std::string network = "resnet152";
  std::string dataset = "cifar10";
  std::string topology = "chain3";
  std::vector<double> rates_mbit{1000};
  Mode mode = Mode::kEmulate;
  int workers = 8;
  std::vector<double> targets{0.84};
  std::vector<std::int64_t> seeds{1};
  std::int64_t max_iterations = 19600;
  std::string start = "pretrain";  ///< the kind of its initial weights
  /// For mode compose: the share of a GPU's peak that is assumed, and the folder that the curves
  /// come from.
  double utilisation = 0.3;
  std::string curve;
};

/// A run in mode compose, whose GPU is assumed to reach the share `utilisation` of its peak.
MadeRun composed(double utilisation = 0.3);

/// Makes the result of a run. Each seed takes 1 % longer than the previous seed. 10 ms of each step
/// are computing.
RunResult made_run(const MadeRun& run, const std::vector<MadeArm>& arms);

/// All cells of a label. The pointers are into `run`.
std::vector<CellResult*> cells_of(RunResult& run, const std::string& label);

/// The runs as if they had been read from folders run1, run2, …
std::vector<store::NamedResult> named(const std::vector<RunResult>& runs);

}  // namespace pacbench::reproduce
