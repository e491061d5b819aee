// Estimates gradients from losses, without backward. Every rank measures how its loss changes along
// random directions that all ranks draw from a shared seed, and the ranks average these slopes.
// Each rank then rebuilds the same estimate of the mean gradient: the mean of slope times
// direction. So a few scalars cross the link, however large the model. The estimate is unbiased for
// the gradient of the loss smoothed by Gaussian steps of size `mu`.
// The Gaussian directions that are drawn again and the central differences are MeZO's (Malladi et
// al. 2023, arXiv 2305.17333, definition 1 and algorithm 1), which has one worker. Unlike in MeZO
// the weights are restored from a copy, to the bit, and the scenario's optimiser makes the step.
// Workers that exchange slopes alone are those of Zelikman et al. 2023 (arXiv 2306.10015). There
// each worker has directions of its own and a slope is one byte; here all workers measure along the
// same directions, so that an all-reduce of floats can average the slopes. Forward differences are
// FedZO's (Fang et al. 2022, arXiv 2201.09531). Its directions are of length one, and its workers
// average weights.
#include <ATen/Functions.h>

#include "trainer/averaging/option_specs.h"
#include "trainer/encoding/random_draws.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// One random direction for all weights: numbers that are drawn anew whenever they are needed, so
/// that no direction is kept.
class Direction {
 public:
  Direction(RandomKey key, std::int64_t number, std::int64_t directions) : key_{key} {
    key_.use = RandomUse::kDirections;
    key_.iteration = key.iteration * directions + number;
  }

  /// The direction of one parameter, in its shape and on its device.
  at::Tensor of(std::size_t parameter, const at::Tensor& like) const {
    auto key = key_;
    key.parameter = static_cast<std::int64_t>(parameter);
    return random_normal(key, like.numel()).view(like.sizes()).to(like.device());
  }

 private:
  RandomKey key_;
};

/// Measures losses around the weights. The destructor puts the weights back.
class Surroundings {
 public:
  explicit Surroundings(OptimizerView& view) : view_{view} {
    for (const auto& weight : view.parameters) here_.push_back(weight.detach().clone());
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings() { go(nullptr, 0); }

  double loss_along(const Direction& direction, double distance) {
    go(&direction, distance);
    return view_.loss();
  }

 private:
  void go(const Direction* direction, double distance) {
    for (std::size_t i = 0; i < here_.size(); ++i) {
      auto weight = view_.parameters[i].detach();
      weight.copy_(here_[i]);
      if (direction != nullptr) weight.add_(direction->of(i, weight), distance);
    }
  }

  OptimizerView& view_;
  std::vector<at::Tensor> here_;
};

class ZerothOrder final : public Method {
 public:
  explicit ZerothOrder(const Json& options)
      : Method{std::make_unique<NoExchange>()},
        directions_{options.at("directions")},
        mu_{options.at("mu")},
        central_{options.at("difference") == "central"} {}

  bool needs_gradients() const override { return false; }
  bool leaves_mean() const override { return false; }

  PlannedCalls step_traffic(const Layout&, const Step&) const override {
    return {{CollectiveKind::kAllReduce, 4 * directions_}};
  }

  Task<bool> optimizer_step(OptimizerView& view, Group& group) override {
    const auto slopes = own_slopes(view).to(group.device());
    co_await group.all_reduce(slopes);
    const auto mean = slopes.cpu().div_(group.size());
    for (auto& gradient : view.gradients) gradient.zero_();
    for (std::int64_t i = 0; i < directions_; ++i) {
      const auto weight = mean[i].item<double>() / static_cast<double>(directions_);
      const Direction direction{view.shared_random, i, directions_};
      for (std::size_t parameter = 0; parameter < view.gradients.size(); ++parameter) {
        auto& gradient = view.gradients[parameter];
        gradient.add_(direction.of(parameter, gradient), weight);
      }
    }
    co_return false;
  }

 private:
  /// float[directions]: the slope of this rank's loss along each direction.
  at::Tensor own_slopes(OptimizerView& view) const {
    const double here = central_ ? 0 : view.loss();
    Surroundings around{view};
    auto slopes = at::empty({directions_});
    for (std::int64_t i = 0; i < directions_; ++i) {
      const Direction direction{view.shared_random, i, directions_};
      const auto ahead = around.loss_along(direction, mu_);
      slopes[i] = central_ ? (ahead - around.loss_along(direction, -mu_)) / (2 * mu_)
                           : (ahead - here) / mu_;
    }
    return slopes;
  }

  std::int64_t directions_;
  double mu_;
  bool central_;
};

}  // namespace

MethodDefinition zeroth_order_method() {
  auto info = described(
      "zeroth-order", "fewer exchanges",
      "Malladi et al. 2023, arXiv 2305.17333; Zelikman et al. 2023, arXiv 2306.10015; "
      "Fang et al. 2022, arXiv 2201.09531",
      "slopes of the loss along random directions, the same on all workers; no backward pass");
  info.options = {
      option::always_shown(option::count(
          "directions", 1, "along how many directions an iteration measures the loss")),
      option::number("mu", 1e-3, Range::positive(),
                     "how far the weights are moved to measure the loss (root mean square)"),
      option::choice("difference", {"central", "forward"},
                     "central: two losses for each direction, ahead and behind; forward: one loss "
                     "ahead for each direction, and one loss at the unmoved weights")};
  info.state_floats = 1;  // a copy of the weights
  info.collectives = {"all_reduce"};
  return {info, made<ZerothOrder>};
}

}  // namespace pacbench::trainer
