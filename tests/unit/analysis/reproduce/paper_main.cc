#include <fmt/format.h>

#include "tests/unit/analysis/export/example_folder.h"
#include "tests/unit/analysis/reproduce/paper_run.h"

/// pacbench-paper-runs FOLDER   writes made-up runs: fig5 with curves; steps-* of mode compose, on
/// a chain with GPUs of three speeds, on a star with GPUs of one; and other, whose setting is none
/// of the paper's
int main(int argc, char** argv) {
  using namespace pacbench::reproduce;
  if (argc != 2) {
    fmt::print(stderr, "usage: pacbench-paper-runs FOLDER\n");
    return 2;
  }
  const auto write = [&](const std::string& name, const MadeRun& run,
                         const std::vector<MadeArm>& arms) {
    pacbench::exports::write_example_folder(fmt::format("{}/{}", argv[1], name),
                                            made_run(run, arms));
  };
  MadeRun figure_5;
  figure_5.seeds = {1, 2, 3};
  write("fig5", figure_5,
        {all_reduce(3.4), fp16(1.8), top_k(0.01, 0.5, 32), in_iterations(1100, masked(1.8)),
         in_iterations(950, masked_ternary(0.6)), masked_ternary(0.35, 25, "lanes")});

  MadeRun steps;
  steps.mode = pacbench::Mode::kCompose;
  steps.network = "vgg19_bn";
  steps.rates_mbit = {100, 1000};
  const std::vector<MadeArm> arms{all_reduce(1.2, 140), fp16(0.7, 70), top_k(0.1, 1.1, 112),
                                  masked(0.7, 70), masked_ternary(0.3, 17.5)};
  for (const double utilisation : {0.15, 0.3, 0.6}) {
    steps.utilisation = utilisation;
    write(fmt::format("steps-{:g}", utilisation), steps, arms);
  }
  steps.topology = "star";
  steps.utilisation = 0.3;
  write("steps-star", steps, arms);

  MadeRun other;
  other.network = "mlp";
  other.dataset = "digits";
  write("other", other, {all_reduce(0.2), fp16(0.1)});
  return 0;
}
