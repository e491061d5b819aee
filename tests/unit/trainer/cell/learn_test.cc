// Compares training in one process (role learn) with training over the real Gloo, bit for bit, and
// on a GPU. Also tests when it stops, what it evaluates, and pruning in steps.
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/trainer/arms.h"
#include "tests/unit/trainer/cell/cell.h"
#include "tests/unit/trainer/gpu_group.h"
#include "tests/unit/trainer/print_method.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer::test {
namespace {

Choice pactrain(const Json& options) { return with_preset("pactrain", "paper", options); }

class EveryArm : public ::testing::TestWithParam<Choice> {};

TEST_P(EveryArm, LearnsInOneProcessWhatItLearnsOverGloo) {
  SCOPED_TRACE(GetParam().name + GetParam().options.dump());
  const auto spec = small_cell(GetParam());
  expect_same_weights(train_over_threads(spec), train_over_gloo(spec));
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryArm, ::testing::ValuesIn(every_arm()), arm_name);
INSTANTIATE_TEST_SUITE_P(MethodsOfEvenRanks, EveryArm, ::testing::ValuesIn(arms_of_even_ranks()),
                         arm_name);

/// There are no such tests where there is no GPU.
class EveryCellOnGpu : public ::testing::TestWithParam<Choice> {};

double last_loss(const Trained& trained) {
  return trained.of_kind("evaluation").back().at("loss").get<double>();
}

/// Ranks compare the bits of their weights after each evaluation, so a cell ends only when all
/// ranks have the same.
TEST_P(EveryCellOnGpu, LearnsNearlyWhatItLearnsOnTheCpu) {
  SCOPED_TRACE(::testing::PrintToString(GetParam()));
  auto spec = small_cell(GetParam());
  // With the cell's learning rate, estimates from losses alone diverge.
  if (GetParam().name == "zeroth-order") spec.workload.optimizer.lr = 0.01;
  const auto expected = last_loss(train_over_threads(spec));
  spec.device = "cuda";
  for (const bool methods_on_gpu : {true, false}) {
    SCOPED_TRACE(methods_on_gpu ? "methods on the GPU" : "methods on the CPU");
    const auto found =
        methods_on_gpu ? train_over(gpu_group(spec.workers), spec) : train_over_threads(spec);
    ASSERT_TRUE(found.weights[0][0].device() == kGpu);
    RecordProperty(methods_on_gpu ? "loss_ratio" : "loss_ratio_host_group",
                   std::to_string(last_loss(found) / expected));
    EXPECT_NEAR(last_loss(found) / expected, 1, 0.05);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryCellOnGpu);
INSTANTIATE_TEST_SUITE_P(Arms, EveryCellOnGpu, ::testing::ValuesIn(every_arm_on_gpu()), arm_name);

/// The number of iterations after which a cell that stops at `targets` has stopped.
Json stops_after(const std::vector<Target>& targets) {
  auto spec = small_cell(with_defaults("all-reduce"));
  spec.workload.stop = "targets";
  spec.targets = targets;
  return train_over_threads(spec).of_kind("done")[0].at("iterations");
}

TEST(Learn, StopsWhenAllTargetsAreReachedForThreeEvaluations) {
  EXPECT_EQ(stops_after({{kLoss, 100}}), 10);
  EXPECT_EQ(stops_after({{kLoss, 100}, {kLoss, 1e-6}}), 20);
  EXPECT_EQ(stops_after({{kAccuracy, 1e-6}, {kLoss, 100}}), 10);
  EXPECT_EQ(stops_after({{kAccuracy, 1}, {kLoss, 100}}), 20);
}

TEST(Learn, EvaluatesAsManySamplesAsItIsTold) {
  auto spec = small_cell(with_defaults("all-reduce"));
  const auto all = train_over_threads(spec);
  spec.workload.evaluate_samples = 64;
  const auto some = train_over_threads(spec);
  expect_same_weights(some, all);
  const auto last = some.of_kind("evaluation").back();
  EXPECT_NE(last.at("loss"), all.of_kind("evaluation").back().at("loss"));
  const double right = 64 * last.at("accuracy").get<double>();
  EXPECT_EQ(right, std::round(right));
}

TEST(Learn, RanksOfSeveralHostsLearnTheSameAndSampleTheSameGradients) {
  for (const auto& method : {with_defaults("all-reduce"), with_defaults("topk", {{"ratio", 0.05}}),
                             pactrain({{"quantize", "ternary"}, {"error_feedback", true}})}) {
    auto spec = small_cell(method);
    spec.quality_every = 5;
    const auto learnt = train_over_threads(spec);
    const auto found = train_over_tcp(spec);
    expect_same_weights(found, learnt);
    EXPECT_EQ(found.of_kind("quality").size(), 4U);
    EXPECT_EQ(found.of_kind("quality"), learnt.of_kind("quality"));
  }
}

TEST(Learn, SeveralBucketsOfEightRanksAreTheSameToo) {
  for (const auto& method :
       {pactrain({{"quantize", "ternary"}, {"encoding", "lanes"}, {"scale_from", "last"}}),
        pactrain({{"quantize", "ternary"}, {"encoding", "all-to-all"}, {"error_feedback", true}}),
        with_defaults("topk", {{"ratio", 0.05}})}) {
    auto spec = small_cell(method, 8);
    spec.workload.model = {"mlp", {{"hidden", {600, 600}}}};
    spec.workload.max_iterations = 8;
    const auto learnt = train_over_threads(spec);
    EXPECT_GT(learnt.of_kind("ready").front().at("bucket_elements").size(), 1U);
    expect_same_weights(learnt, train_over_gloo(spec));
  }
}

TEST(Pruning, WhoseLastStepWouldComeAfterTheRunIsRefused) {
  const auto spec = small_cell(pactrain({{"prune_steps", 4}, {"prune_every", 7}}));
  EXPECT_THAT([&] { train_over_threads(spec); },
              ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr("before iteration 22")));
}

TEST(Pruning, InStepsKeepsLessAfterEachAndSaysSo) {
  const auto spec =
      small_cell(pactrain({{"pruning_ratio", 0.6}, {"prune_steps", 3}, {"prune_every", 6}}));
  const auto events = train_over_threads(spec).of_kind("pruned");
  ASSERT_EQ(events.size(), 3U);
  double kept = 1;
  for (std::size_t step = 0; step < events.size(); ++step) {
    EXPECT_EQ(events[step].at("iteration"), 6 * step);
    EXPECT_LT(events[step].at("kept_fraction").get<double>(), kept);
    kept = events[step].at("kept_fraction");
  }
  EXPECT_NEAR(kept, 0.4, 1e-3);
}

}  // namespace
}  // namespace pacbench::trainer::test
