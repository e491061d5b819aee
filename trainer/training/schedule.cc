#include "trainer/training/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pacbench::trainer {

double learning_rate(const Optimizer& optimizer, std::int64_t iteration,
                     std::int64_t max_iterations) {
  const auto& schedule = optimizer.schedule;
  if (schedule.kind == "constant") return optimizer.lr;
  if (schedule.kind == "step") {
    const auto passed = std::count_if(schedule.milestones.begin(), schedule.milestones.end(),
                                      [&](std::int64_t at) { return at < iteration; });
    return optimizer.lr * std::pow(schedule.gamma, static_cast<double>(passed));
  }
  if (schedule.kind == "cosine") {
    const auto progress = static_cast<double>(iteration - 1) / static_cast<double>(max_iterations);
    return optimizer.lr * 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
  }
  throw ConfigError{
      "worker specification",
      {{"/workload/optimizer/schedule/kind",
        fmt::format("found \"{}\", expected constant, step or cosine", schedule.kind)}}};
}

}  // namespace pacbench::trainer
