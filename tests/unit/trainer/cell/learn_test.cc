// Training in one process against training over the real Gloo, bit for bit.
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/trainer/cell/cell.h"
#include "trainer/methods/method.h"

namespace pacbench::test {
namespace {

/// Every method, and every arm of those that have some.
std::vector<Choice> every_arm() {
  std::vector<Choice> arms{with_defaults("all-reduce"), with_defaults("topk", {{"ratio", 0.1}}),
                           with_defaults("topk", {{"ratio", 0.01}}),
                           with_defaults("pactrain", {{"gradient_masking", false}}),
                           with_defaults("pactrain", {{"score", "random"}, {"stable_after", 1}})};
  for (const auto* sum : {"ring", "direct"}) {
    arms.push_back(with_defaults("fp16", {{"sum", sum}}));
    arms.push_back(with_defaults("bf16", {{"sum", sum}}));
  }
  for (const auto* quantize : {"none", "ternary"}) {
    arms.push_back(with_defaults("pactrain", {{"quantize", quantize}}));
  }
  return arms;
}

class EveryArm : public testing::TestWithParam<Choice> {};

TEST_P(EveryArm, LearnsInOneProcessWhatItLearnsOverGloo) {
  const auto spec = small_cell(GetParam());
  const auto threads = train_over_threads(spec);
  const auto gloo = train_over_gloo(spec);
  for (int rank = 0; rank < spec.workers; ++rank) {
    const auto& found = threads.weights[static_cast<std::size_t>(rank)];
    const auto& expected = gloo.weights[static_cast<std::size_t>(rank)];
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(at::equal(found[i], expected[i])) << "rank " << rank << ", parameter " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryArm, testing::ValuesIn(every_arm()));

TEST(EveryMethod, OfTheTableIsAmongThem) {
  std::set<std::string> tested;
  for (const auto& arm : every_arm()) tested.insert(arm.name);
  for (const auto& entry : method_table()) EXPECT_TRUE(tested.contains(entry.info.name));
}

TEST(Learn, WritesTheEventsOfEveryRankAndTheSameCurveEveryTime) {
  const auto spec = small_cell(with_defaults("all-reduce"), 3);
  const auto first = train_over_threads(spec);
  EXPECT_EQ(first.of_kind("ready").size(), 3U);
  EXPECT_EQ(first.of_kind("iteration").size(), 3U * 20);
  EXPECT_EQ(first.of_kind("done").size(), 3U);
  const auto curve = first.of_kind("evaluation");
  ASSERT_EQ(curve.size(), 5U);
  EXPECT_LT(curve.back().at("loss").get<double>(), curve.front().at("loss").get<double>());
  const auto again = train_over_threads(spec).of_kind("evaluation");
  for (std::size_t i = 0; i < curve.size(); ++i) {
    EXPECT_EQ(again[i].at("loss"), curve[i].at("loss"));
  }
}

TEST(Learn, ConvolutionsAndBatchNormAreTheSameToo) {
  auto spec = small_cell(with_defaults("pactrain", {{"quantize", "ternary"}}), 3);
  spec.workload.model = {"resnet8", Json::object()};
  spec.workload.max_iterations = 6;
  const auto threads = train_over_threads(spec);
  const auto gloo = train_over_gloo(spec);
  for (std::size_t i = 0; i < gloo.weights[0].size(); ++i) {
    EXPECT_TRUE(at::equal(threads.weights[0][i], gloo.weights[0][i])) << "parameter " << i;
  }
}

TEST(Pruning, IsReportedWithWhatItKept) {
  auto spec = small_cell(with_defaults("pactrain", {{"pruning_ratio", 0.6}}));
  const auto events = train_over_threads(spec).of_kind("pruned");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].at("iteration"), 0);
  EXPECT_NEAR(events[0].at("kept_fraction").get<double>(), 0.4, 1e-3);
}

}  // namespace
}  // namespace pacbench::test
