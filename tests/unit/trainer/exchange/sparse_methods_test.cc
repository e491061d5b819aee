// Methods that send few of a gradient's entries: SparDL, MiCRO, ExDyna, AdaCGD, OmniReduce and Zen.
// Tests which entries they choose, what they keep as residuals, and how many bytes they send.
#include <gtest/gtest.h>

#include "tests/unit/trainer/arms.h"
#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::sparse_methods_test {
namespace {

class KeepsTheRest : public ::testing::TestWithParam<Choice> {};

TEST_P(KeepsTheRest, AndDeliversAllOfItInTime) {
  for (const int size : {2, 4, 8}) {
    SCOPED_TRACE(size);
    auto ranks = ranks_of(GetParam(), size, layout_of({{600}}));
    const auto gradients = ranks.gradients(30, 4);
    auto received = ranks.exchange(gradients)[0][0].clone();
    EXPECT_FALSE(at::equal(received, dense_mean(gradients, 0))) << "nothing was left for later";
    received += sum_of_means(ranks, ranks.gradients(0, 4), 60, 1);
    EXPECT_TRUE(at::equal(received, dense_mean(gradients, 0)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, KeepsTheRest,
    ::testing::Values(choice("topk", {{"ratio", 0.1}}),
                      choice("omnireduce", {{"ratio", 0.4}, {"error_feedback", true}}),
                      choice("zen", {{"ratio", 0.1}, {"error_feedback", true}}),
                      choice("spardl", {{"ratio", 0.1}}), choice("micro", {{"ratio", 0.05}}),
                      choice("exdyna", {{"ratio", 0.05}}),
                      choice("random-k", {{"ratio", 0.5}, {"error_feedback", true}})),
    arm_name);

TEST(SparDl, WithAllEntriesIsTheMean) {
  for (const int teams : {1, 2, 4, 8}) {
    const auto method = choice("spardl", {{"ratio", 1.0}, {"teams", teams}});
    auto ranks = ranks_of(method, 8, layout_of({{37}}));
    const auto gradients = ranks.gradients(20, 2);
    const auto means = ranks.exchange(gradients);
    for (const auto& mean : means) EXPECT_TRUE(at::equal(mean[0], dense_mean(gradients, 0)));
  }
}

TEST(SparDl, OfTeamsDropsNothingThatNobodyKeeps) {
  for (const int teams : {2, 4, 8}) {
    SCOPED_TRACE(teams);
    const auto method = choice("spardl", {{"ratio", 0.1}, {"teams", teams}});
    auto ranks = ranks_of(method, 8, layout_of({{600}}));
    const auto gradients = ranks.gradients(30, 4);
    const auto first = ranks.exchange(gradients);
    auto received = first[0][0].clone();
    for (const auto& mean : first) EXPECT_TRUE(at::equal(mean[0], received)) << "the same bits";
    EXPECT_EQ(received.ne(0).sum().item<std::int64_t>(), 60) << "a tenth arrives";
    received += sum_of_means(ranks, ranks.gradients(0, 4), 100, 1);
    EXPECT_TRUE(at::allclose(received, dense_mean(gradients, 0), 0, 1e-4));
  }
}

TEST(SparDl, SendsBlocksInRoundsThenSwapsOneForEachDoublingOfTeamsAndSendsOneAround) {
  const auto sent_by = [](int teams, int rank) {
    const auto method = choice("spardl", {{"ratio", 0.01}, {"teams", teams}});
    auto ranks = ranks_of(method, 8, layout_of({{8000}}));
    ranks.exchange(ranks.gradients(20, 2));
    std::vector<std::int64_t> sent;
    for (const auto& call : ranks.calls(rank)) sent.push_back(call.sent_bytes);
    return sent;
  };
  // log2 8 rounds and the all-gather.
  const auto alone = sent_by(1, 2);
  const auto block = alone.at(2);
  EXPECT_EQ(alone, (std::vector<std::int64_t>{4 * block, 2 * block, block, 7 * block}));
  // log2 4 rounds, one between the teams, and each team's all-gather.
  const auto in_teams = sent_by(2, 6);
  const auto larger = in_teams.at(1);
  EXPECT_EQ(in_teams, (std::vector<std::int64_t>{2 * larger, larger, larger, 0, 3 * larger}));
}

TEST(SparDl, RefusesTeamsThatTheWorkersCannotMake) {
  for (const auto& [teams, workers] : {std::pair{2, 5}, std::pair{3, 6}, std::pair{8, 4}}) {
    const auto method = choice("spardl", {{"ratio", 0.1}, {"teams", teams}});
    EXPECT_THROW(ranks_of(method, workers, layout_of({{10}})), std::invalid_argument);
  }
}

TEST(Micro, LetsNoTwoRanksChooseTheSameEntry) {
  auto ranks = ranks_of(choice("micro", {{"ratio", 0.01}}), 4, layout_of({{4096}}));
  // All ranks have the same large entries, so top-k would choose the same 41 entries four times.
  const auto gradient = ranks.gradients(30, 5)[0][0];
  for (int iteration = 0; iteration < 3; ++iteration) {
    const auto mean = ranks.exchange(Gradients(4, {gradient}))[0][0];
    const auto payloads = ranks.payloads();
    ASSERT_EQ(payloads.size(), 3U);
    EXPECT_EQ(payloads[2], 4 * mean.ne(0).sum().item<std::int64_t>())
        << "as many values are summed as places were chosen";
  }
}

TEST(Micro, FindsTheThresholdThatGivesTheDensityAskedFor) {
  const auto method = choice("micro", {{"ratio", 0.02}, {"error_feedback", false}});
  auto ranks = ranks_of(method, 4, layout_of({{4096}}));
  const auto noise = at::randn({4096}, at::make_generator<at::CPUGeneratorImpl>(1)) * 0.1;
  sum_of_means(ranks, Gradients(4, {noise}), 900);
  const auto chosen = ranks.payloads().at(2) / 4;
  EXPECT_NEAR(static_cast<double>(chosen), 0.02 * 4096, 0.15 * 0.02 * 4096);
}

TEST(ExDyna, MovesBlocksToANeighbourUntilThatHasItsShare) {
  // All large entries lie in the first quarter, which is one worker's at first.
  constexpr std::int64_t kElements = 32 * 1024;
  auto gradient = at::zeros({kElements});
  gradient.narrow(0, 0, kElements / 4).fill_(1);
  const auto longest_list = [&](const char* method) {
    const Json options{{"ratio", 0.25}, {"error_feedback", false}};
    auto ranks = ranks_of(choice(method, options), 4, layout_of({{kElements}}));
    sum_of_means(ranks, Gradients(4, {gradient}), 300);
    return static_cast<double>(ranks.payloads().at(1)) / 4;
  };
  EXPECT_EQ(longest_list("micro"), kElements / 4);
  // The neighbour's share is a quarter of what the first worker had.
  EXPECT_NEAR(longest_list("exdyna"), kElements / 4 * 3 / 4, 0.05 * kElements / 4);
}

TEST(ExDyna, LeavesEachWorkerAFewBlocks) {
  // Two workers divide 16 blocks, and neither has fewer than 16 / (4 * 2). All large entries are in
  // the first three blocks.
  auto gradient = at::zeros({16 * 32});
  gradient.narrow(0, 0, 3 * 32).fill_(1);
  const auto method = choice("exdyna", {{"ratio", 3.0 / 16}, {"error_feedback", false}});
  auto ranks = ranks_of(method, 2, layout_of({{16 * 32}}));
  sum_of_means(ranks, Gradients(2, {gradient}), 20);
  EXPECT_EQ(ranks.payloads().at(1), 4 * 2 * 32);
}

TEST(AdaCgd, WithOneLevelAndNoToleranceIsEf21) {
  const auto layout = layout_of({{64}, {9}});
  auto adaptive =
      ranks_of(choice("adacgd", {{"ratio", 0.2}, {"levels", 1}, {"tolerance", 0}}), 3, layout);
  auto ef21 = ranks_of(choice("ef21", {{"ratio", 0.2}}), 3, layout);
  for (int iteration = 0; iteration < 5; ++iteration) {
    const auto gradients = ef21.gradients(20, iteration);
    EXPECT_TRUE(at::allclose(at::cat(adaptive.exchange(gradients)[0]),
                             at::cat(ef21.exchange(gradients)[0])));
  }
}

TEST(AdaCgd, SendsNothingWhileItsEstimateIsNearAndAsLittleAsWillDoOtherwise) {
  const auto method = choice("adacgd", {{"ratio", 1.0}, {"levels", 3}, {"tolerance", 1}});
  auto ranks = ranks_of(method, 2, layout_of({{1000}}));
  const auto sent = [&](const at::Tensor& gradient) {
    ranks.exchange(Gradients(2, {gradient}));
    return ranks.payloads().at(1);
  };
  EXPECT_GT(sent(at::ones({1000})), 4000) << "the first one is whole";
  auto changed = at::ones({1000});
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
  EXPECT_EQ(ranks.payloads().at(1), 0);
}

}  // namespace
}  // namespace pacbench::trainer::test::sparse_methods_test
