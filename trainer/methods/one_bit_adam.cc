// 1-bit Adam (Tang, Gan, Awan, Rajbhandari, Li, Lian, Liu, Zhang and He 2021, arXiv 2102.02888).
// The first iterations are Adam's on mean gradients. Then the variance is frozen, and each rank's
// momentum travels by shares, as signs and one scale a share, with error feedback on both ways. As
// in the authors' code nothing corrects the bias of the first steps, and an entry that had no
// gradient in the first iterations (a pruned one) stays where it is.
#include <ATen/Functions.h>

#include <algorithm>

#include "trainer/averaging/bucket_state.h"
#include "trainer/averaging/by_shares.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/kernels/codes.h"
#include "trainer/kernels/kernels.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// The root mean square of a share, and the signs of its entries.
class ScaledBits final : public ShareCode {
 public:
  std::int64_t bytes(std::int64_t elements) const override { return 4 + sign_bytes(elements); }

  at::Tensor encode(const at::Tensor& values, const RandomKey&, std::int64_t) const override {
    const auto scale = values.square().mean().sqrt().view({1});
    return at::cat({scale.view(at::kByte), pack_signs(values)});
  }

  at::Tensor decode(const at::Tensor& bytes, std::int64_t elements) const override {
    const auto scale = bytes.narrow(0, 0, 4).view(at::kFloat).item<float>();
    auto values = at::zeros({elements}, bytes.options().dtype(at::kFloat));
    add_signs(bytes.narrow(0, 4, bytes.numel() - 4), 0, scale, values);
    return values;
  }
};

class OneBitAdam final : public Averager {
 public:
  OneBitAdam(const Json& options, const RunFacts& run)
      : beta1_{options.at("beta1")},
        beta2_{options.at("beta2")},
        eps_{options.at("eps")},
        dense_iterations_{
            std::max<std::int64_t>(run.share_of_iterations(options.at("dense_share")), 1)} {}

  Task<> settle(const Layout& layout, Group& group) override {
    momentum_.settle(layout, group.device());
    variance_.settle(layout, group.device());
    return bits_.settle(layout, group);
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step& step) const override {
    if (is_dense(step)) return {dense_traffic(bucket)};
    return bits_.traffic(bucket, step);
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto& momentum = momentum_.of(bucket.layout);
    const auto& variance = variance_.of(bucket.layout);
    if (is_dense(bucket.step)) {
      co_await average_dense(bucket, group);
      momentum.mul_(beta1_).add_(bucket.mean, 1 - beta1_);
      variance.mul_(beta2_).addcmul_(bucket.mean, bucket.mean, 1 - beta2_);
    } else {
      auto own = bucket;
      own.own.mul_(1 - beta1_).add_(momentum, beta1_);
      co_await bits_.average(own, group);
      momentum.copy_(bucket.mean);
    }
    at::div_out(bucket.mean, momentum, variance.sqrt().add_(eps_));
    zero_outside(bucket.mean, nonzero_bits(variance));
  }

  Recording recording() const override { return {.iterations_to_settle = dense_iterations_}; }

  void visit_state(StateVisitor& visitor) override {
    momentum_.visit(visitor);
    variance_.visit(visitor);
    bits_.visit_state(visitor);
  }

  std::optional<double> residual_norm() const override { return bits_.residual_norm(); }

 private:
  bool is_dense(const Step& step) const { return step.number <= dense_iterations_; }

  double beta1_;
  double beta2_;
  double eps_;
  std::int64_t dense_iterations_;
  BucketState momentum_{"momentum"};
  BucketState variance_{"variance"};
  Feedback bits_{std::make_unique<ByShares>(std::make_unique<ScaledBits>(), true)};
};

}  // namespace

MethodDefinition one_bit_adam_method() {
  auto info = described(
      "one-bit-adam", "own optimiser", "Tang et al. 2021, arXiv 2102.02888",
      "Adam with a variance that is frozen after a while, and a momentum that is sent as signs");
  info.state_floats = 2;
  info.error_feedback = true;
  info.options = {
      option::number("dense_share", 0.2, Range::ratio(),
                     "share of the iterations, at the start, with whole gradients"),
      option::number("beta1", 0.9, {0.0, 0.9999}, "decay of the momentum"),
      option::number("beta2", 0.999, {0.0, 0.9999}, "decay of the variance"),
      option::number("eps", 1e-8, Range::positive(), "added to the root of the variance")};
  info.collectives = {"all_reduce", "all_to_all", "all_gather"};
  return averaging_momentum<OneBitAdam>(info);
}

}  // namespace pacbench::trainer
