// Methods that send few of a gradient's entries: SparDL, MiCRO, ExDyna, AdaCGD, OmniReduce and Zen.
// Tests which entries they choose, what they keep as residuals, and how many bytes they send.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::sparse_methods_test {
namespace {

class KeepsTheRest : public ::testing::TestWithParam<Choice> {};

TEST_P(KeepsTheRest, AndDeliversAllOfItInTime) {
  const auto layout = layout_of({{600}});
  for (const int size : {2, 4, 8}) {
    SCOPED_TRACE(size);
    auto ranks = ranks_of(GetParam(), size, layout);
    const auto gradients = integer_gradients(layout, size, 30, 4);
    auto received = ranks.exchange(gradients)[0][0].clone();
    EXPECT_FALSE(at::equal(received, dense_mean(gradients, 0))) << "nothing was left for later";
    const Gradients nothing(static_cast<std::size_t>(size), {at::zeros({600})});
    for (int round = 0; round < 60; ++round) received += ranks.exchange(nothing)[1][0];
    EXPECT_TRUE(at::equal(received, dense_mean(gradients, 0)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, KeepsTheRest,
    ::testing::Values(choice("topk", {{"ratio", 0.1}}),
                      choice("omnireduce", {{"ratio", 0.4}, {"error_feedback", true}}),
                      choice("zen", {{"ratio", 0.1}, {"error_feedback", true}}),
                      choice("spardl", {{"ratio", 0.1}}), choice("micro", {{"ratio", 0.05}}),
                      choice("exdyna", {{"ratio", 0.05}})),
    [](const auto& test) { return test.param.name; });

TEST(SparDl, WithAllEntriesIsTheMean) {
  const auto layout = layout_of({{37}});
  auto ranks = ranks_of(choice("spardl", {{"ratio", 1.0}}), 4, layout);
  const auto gradients = integer_gradients(layout, 4, 20, 2);
  EXPECT_TRUE(at::equal(ranks.exchange(gradients)[3][0], dense_mean(gradients, 0)));
}

TEST(SparDl, SendsAsManyBlocksAsRanksToTheNextOnesAndOneAround) {
  const auto layout = layout_of({{8000}});
  auto ranks = ranks_of(choice("spardl", {{"ratio", 0.01}}), 8, layout);
  ranks.exchange(integer_gradients(layout, 8, 20, 2));
  std::vector<std::int64_t> sent;
  for (const auto& call : ranks.engine(2).trace().front().collectives) {
    sent.push_back(call.sent_bytes);
  }
  ASSERT_EQ(sent.size(), 4U) << "log2 8 rounds and the all-gather";
  const auto block = sent[2];
  EXPECT_EQ(sent, (std::vector<std::int64_t>{4 * block, 2 * block, block, 7 * block}));
}

TEST(SparDl, OfTeamsWithAllEntriesIsTheMean) {
  const auto layout = layout_of({{37}});
  for (const int teams : {2, 4, 8}) {
    auto ranks = ranks_of(choice("spardl", {{"ratio", 1.0}, {"teams", teams}}), 8, layout);
    const auto gradients = integer_gradients(layout, 8, 20, 2);
    const auto means = ranks.exchange(copy_of(gradients));
    for (const auto& mean : means) EXPECT_TRUE(at::equal(mean[0], dense_mean(gradients, 0)));
  }
}

TEST(SparDl, OfTeamsDropsNothingThatNobodyKeeps) {
  const auto layout = layout_of({{600}});
  for (const int teams : {2, 4, 8}) {
    SCOPED_TRACE(teams);
    auto ranks = ranks_of(choice("spardl", {{"ratio", 0.1}, {"teams", teams}}), 8, layout);
    const auto gradients = integer_gradients(layout, 8, 30, 4);
    const auto first = ranks.exchange(copy_of(gradients));
    auto received = first[0][0].clone();
    for (const auto& mean : first) EXPECT_TRUE(at::equal(mean[0], received)) << "the same bits";
    EXPECT_EQ(received.ne(0).sum().item<std::int64_t>(), 60) << "a tenth arrives";
    const Gradients nothing(8, {at::zeros({600})});
    for (int round = 0; round < 100; ++round) received += ranks.exchange(copy_of(nothing))[1][0];
    EXPECT_TRUE(at::allclose(received, dense_mean(gradients, 0), 0, 1e-4));
  }
}

TEST(SparDl, OfTeamsSwapsABlockForEachDoublingOfThem) {
  const auto layout = layout_of({{8000}});
  auto ranks = ranks_of(choice("spardl", {{"ratio", 0.01}, {"teams", 2}}), 8, layout);
  ranks.exchange(integer_gradients(layout, 8, 20, 2));
  std::vector<std::int64_t> sent;
  for (const auto& call : ranks.engine(6).trace().front().collectives) {
    sent.push_back(call.sent_bytes);
  }
  ASSERT_EQ(sent.size(), 5U) << "log2 4 rounds, one between the teams, each team's all-gather";
  const auto block = sent[1];
  EXPECT_EQ(sent, (std::vector<std::int64_t>{2 * block, block, block, 0, 3 * block}));
}

TEST(SparDl, RefusesTeamsThatTheWorkersCannotMake) {
  for (const auto& [teams, workers] : {std::pair{2, 5}, std::pair{3, 6}, std::pair{8, 4}}) {
    const auto method = choice("spardl", {{"ratio", 0.1}, {"teams", teams}});
    EXPECT_THROW(ranks_of(method, workers, layout_of({{10}})), std::invalid_argument);
  }
}

TEST(Micro, LetsNoTwoRanksChooseTheSameEntry) {
  const auto layout = layout_of({{4096}});
  auto ranks = ranks_of(choice("micro", {{"ratio", 0.01}}), 4, layout);
  // All ranks have the same large entries, so top-k would choose the same 41 entries four times.
  const auto gradient = integer_gradients(layout, 1, 30, 5)[0][0];
  for (int iteration = 0; iteration < 3; ++iteration) {
    const auto mean = ranks.exchange(Gradients(4, {gradient.clone()}))[0][0];
    const auto& calls = ranks.engine(0).trace().front().collectives;
    ASSERT_EQ(calls.size(), 3U);
    EXPECT_EQ(calls[2].payload_bytes, 4 * mean.ne(0).sum().item<std::int64_t>())
        << "as many values are summed as places were chosen";
  }
}

TEST(Micro, FindsTheThresholdThatGivesTheDensityAskedFor) {
  const auto layout = layout_of({{4096}});
  auto ranks = ranks_of(choice("micro", {{"ratio", 0.02}, {"error_feedback", false}}), 4, layout);
  const auto noise = at::randn({4096}, at::make_generator<at::CPUGeneratorImpl>(1)) * 0.1;
  std::int64_t chosen = 0;
  for (int iteration = 0; iteration < 900; ++iteration) {
    ranks.exchange(Gradients(4, {noise.clone()}));
    chosen = ranks.engine(0).trace().front().collectives[2].payload_bytes / 4;
  }
  EXPECT_NEAR(static_cast<double>(chosen), 0.02 * 4096, 0.15 * 0.02 * 4096);
}

TEST(ExDyna, MovesBlocksToANeighbourUntilThatHasItsShare) {
  // All large entries lie in the first quarter, which is one worker's at first.
  constexpr std::int64_t kElements = 32 * 1024;
  const auto layout = layout_of({{kElements}});
  auto gradient = at::zeros({kElements});
  gradient.narrow(0, 0, kElements / 4).fill_(1);
  const auto longest_list = [&](const char* method) {
    auto ranks = ranks_of(choice(method, {{"ratio", 0.25}, {"error_feedback", false}}), 4, layout);
    for (int iteration = 0; iteration < 300; ++iteration) {
      ranks.exchange(Gradients(4, {gradient.clone()}));
    }
    const auto& lists = ranks.engine(0).trace().front().collectives[1];
    return static_cast<double>(lists.payload_bytes) / 4;
  };
  EXPECT_EQ(longest_list("micro"), kElements / 4);
  // The neighbour's share is a quarter of what the first worker had.
  EXPECT_NEAR(longest_list("exdyna"), kElements / 4 * 3 / 4, 0.05 * kElements / 4);
}

TEST(ExDyna, LeavesEachWorkerAFewBlocks) {
  // Two workers divide 16 blocks, and neither has fewer than 16 / (4 * 2). All large entries are in
  // the first three blocks.
  const auto layout = layout_of({{16 * 32}});
  auto gradient = at::zeros({16 * 32});
  gradient.narrow(0, 0, 3 * 32).fill_(1);
  auto ranks =
      ranks_of(choice("exdyna", {{"ratio", 3.0 / 16}, {"error_feedback", false}}), 2, layout);
  for (int iteration = 0; iteration < 20; ++iteration) {
    ranks.exchange(Gradients(2, {gradient.clone()}));
  }
  EXPECT_EQ(ranks.engine(0).trace().front().collectives[1].payload_bytes, 4 * 2 * 32);
}

TEST(AdaCgd, WithOneLevelAndNoToleranceIsEf21) {
  const auto layout = layout_of({{64}, {9}});
  auto adaptive =
      ranks_of(choice("adacgd", {{"ratio", 0.2}, {"levels", 1}, {"tolerance", 0}}), 3, layout);
  auto ef21 = ranks_of(choice("ef21", {{"ratio", 0.2}}), 3, layout);
  for (int iteration = 0; iteration < 5; ++iteration) {
    const auto gradients = integer_gradients(layout, 3, 20, iteration);
    const auto one = adaptive.exchange(copy_of(gradients));
    const auto other = ef21.exchange(copy_of(gradients));
    for (std::size_t bucket = 0; bucket < layout.size(); ++bucket) {
      EXPECT_TRUE(at::allclose(one[0][bucket], other[0][bucket]));
    }
  }
}

TEST(AdaCgd, SendsNothingWhileItsEstimateIsNearAndAsLittleAsWillDoOtherwise) {
  const auto layout = layout_of({{1000}});
  auto ranks =
      ranks_of(choice("adacgd", {{"ratio", 1.0}, {"levels", 3}, {"tolerance", 1}}), 2, layout);
  const auto sent = [&](const at::Tensor& gradient) {
    ranks.exchange(Gradients(2, {gradient.clone()}));
    return ranks.engine(0).trace().front().collectives[1].payload_bytes;
  };
  const auto gradient = at::ones({1000});
  EXPECT_GT(sent(gradient), 4000) << "the first one is whole";
  auto changed = gradient.clone();
  changed[7] = 100;
  EXPECT_EQ(sent(changed), 0) << "as far from the estimate as from the last gradient";
  const auto few = sent(changed);
  EXPECT_GT(few, 0) << "the gradient has not changed, and the estimate is wrong";
  EXPECT_LT(few, 100);
  EXPECT_EQ(sent(changed), 0) << "now it is right";
}

TEST(AdaCgd, SendsNothingOfGradientsThatAreZero) {
  auto ranks = ranks_of(choice("adacgd"), 2, layout_of({{100}}));
  ranks.exchange(Gradients(2, {at::zeros({100})}));
  EXPECT_EQ(ranks.engine(0).trace().front().collectives[1].payload_bytes, 0);
}

}  // namespace
}  // namespace pacbench::trainer::test::sparse_methods_test
