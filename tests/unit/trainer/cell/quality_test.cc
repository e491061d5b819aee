// Measures how near aggregated gradients come to the exact mean; measuring changes no training.
#include "trainer/rank/gradient_quality.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <limits>

#include "base/unique_fd.h"
#include "tests/unit/trainer/cell/cell.h"

namespace pacbench::trainer::test {
namespace {

TEST(GradientError, IsRelativeToTheExactMean) {
  const float first[]{1, 2, 3}, second[]{3, 2, -3}, aggregate[]{2, 1, 0}, nothing[]{0, 0, 0};
  const auto sums = gradient_error(aggregate, {first, second}, 3);
  // The mean is (2, 2, 0).
  EXPECT_DOUBLE_EQ(sums.vnmse(), 1.0 / 8);
  EXPECT_DOUBLE_EQ(sums.cosine(), 6 / std::sqrt(5.0 * 8));
  EXPECT_DOUBLE_EQ(sums.density(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(gradient_error(nothing, {first}, 3).vnmse(), 1);
  EXPECT_DOUBLE_EQ(gradient_error(nothing, {first}, 3).cosine(), 0);
}

std::vector<QualityEvent> quality_of(const Choice& method) {
  auto spec = small_cell(method);
  spec.quality_every = 4;
  std::vector<QualityEvent> events;
  for (const auto& event : train_over_threads(spec).of_kind("quality")) {
    events.push_back(event.get<QualityEvent>());
  }
  return events;
}

TEST(Quality, OfAnAllReduceIsThatOfRoundingInEveryLayer) {
  const auto events = quality_of(with_defaults("all-reduce"));
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[2].iteration, 12);
  for (const auto& event : events) {
    EXPECT_LT(event.vnmse, 1e-12);
    EXPECT_NEAR(event.cosine, 1, 1e-9);
    EXPECT_GT(event.mean_norm, 0);
    EXPECT_FALSE(event.residual_norm);
    ASSERT_EQ(event.layers.size(), 6U);
    for (const auto& layer : event.layers) EXPECT_LT(layer.vnmse, 1e-12) << layer.name;
  }
}

TEST(Quality, OfHalfPrecisionIsWithinItsRounding) {
  for (const auto& event : quality_of(with_defaults("fp16"))) {
    EXPECT_GT(event.vnmse, 1e-9);
    EXPECT_LT(event.vnmse, 1e-5);
  }
}

TEST(Quality, OfTopKSaysWhatIsHeldBackAndHowManyEntriesRanksChoseTogether) {
  for (const auto& event : quality_of(with_defaults("topk", {{"ratio", 0.05}}))) {
    EXPECT_GT(event.vnmse, 0.01);
    EXPECT_LT(event.cosine, 0.99);
    ASSERT_TRUE(event.residual_norm);
    EXPECT_GT(*event.residual_norm, 0);
    ASSERT_TRUE(event.density);
    EXPECT_GE(*event.density, 0.05) << "no rank chooses fewer";
    EXPECT_LT(*event.density, 0.25) << "and several ranks not all others";
  }
}

TEST(Quality, OfAPrunedModelIsMeasuredOnWhatIsKept) {
  const auto events = quality_of(with_preset("pactrain", "paper", {{"mask_source", "weights"}}));
  ASSERT_EQ(events.size(), 5U);
  for (const auto& event : events) EXPECT_LT(event.vnmse, 1e-12);
}

TEST(Quality, WeightsAreTheSameWhetherItIsAskedForOrNot) {
  for (const auto& method : {with_defaults("topk", {{"ratio", 0.1}}),
                             with_preset("pactrain", "paper", {{"quantize", "ternary"}})}) {
    auto spec = small_cell(method, 3);
    // A model with batch norm, whose running statistics an additional forward pass would change.
    spec.workload.model = {"resnet8", Json::object()};
    spec.workload.max_iterations = 6;
    const auto without = train_over_threads(spec);
    spec.quality_every = 1;
    const auto with = train_over_threads(spec);
    expect_same_weights(with, without);
    EXPECT_EQ(with.of_kind("quality").size(), 6U);
    const auto curve = without.of_kind("evaluation");
    for (std::size_t i = 0; i < curve.size(); ++i) {
      EXPECT_EQ(with.of_kind("evaluation")[i].at("loss"), curve[i].at("loss"));
    }
  }
}

/// Averages gradients, and then makes no step but says that it did.
class StepsItself final : public Method {
 public:
  StepsItself() : Method{make_averager(with_defaults("all-reduce"), {})} {}
  Task<bool> optimizer_step(OptimizerView&, Group&) override { co_return true; }
};

TEST(Quality, IsNotClaimedForAMethodThatMakesTheStepItself) {
  auto spec = small_cell(with_defaults("all-reduce"));
  spec.quality_every = 1;
  const auto trained =
      train_over_threads(spec, [](const WorkerSpec&) { return std::make_unique<StepsItself>(); });
  EXPECT_EQ(trained.of_kind("iteration").size(), 4U * 20);
  EXPECT_TRUE(trained.of_kind("quality").empty());
}

TEST(Quality, AGradientThatIsNotFiniteIsRefusedByName) {
  auto parameter = at::zeros({2});
  parameter.mutable_grad() = at::full({2}, std::numeric_limits<float>::infinity());
  const std::vector<Parameter> parameters{{"layer.weight", parameter, true}};
  const UniqueFd memory{::memfd_create("test", 0)};
  SharedGradients laid{memory.get(), 0, 1, 2};
  laid.lay(parameters, {});
  EXPECT_THAT([&] { gradient_quality(parameters, laid, 7); },
              ::testing::ThrowsMessage<std::runtime_error>(
                  "the gradient of layer.weight is not finite in iteration 7"));
}

}  // namespace
}  // namespace pacbench::trainer::test
