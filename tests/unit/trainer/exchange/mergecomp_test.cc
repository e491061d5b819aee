// MergeComp: compares merged buckets with one bucket that holds them all, and the split that it
// finds with all possible splits.
#include <gtest/gtest.h>

#include <cmath>

#include "contract/catalogue/choice_json.h"
#include "tests/unit/trainer/arms.h"
#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "tests/unit/trainer/print_method.h"
#include "trainer/averaging/split_search.h"

namespace pacbench::trainer::test::mergecomp_test {
namespace {

const Layout kLayout = layout_of({{300}, {160, 40}, {25, 5}, {70}});

Choice mergecomp(const Json& inner, const Json& options) {
  auto all = options;
  all["inner"] = inner;
  return choice("mergecomp", all);
}

const Json kTopK{{"name", "topk"}, {"ratio", 0.1}};

TEST(SplitSearch, FindsTheFastestOfAllSplitsWhereTimesFallAndThenRise) {
  for (std::int64_t buckets = 1; buckets <= 24; ++buckets) {
    for (std::int64_t fastest = 1; fastest <= buckets; ++fastest) {
      SplitSearch search{buckets};
      while (!search.found()) {
        const auto split = search.next();
        ASSERT_FALSE(search.times_s.contains(split)) << "measured twice";
        search.times_s[split] = std::abs(static_cast<double>(split) - static_cast<double>(fastest));
      }
      EXPECT_EQ(search.next(), fastest) << "of " << buckets;
      EXPECT_LE(static_cast<double>(search.times_s.size()),
                2 * std::ceil(std::log2(static_cast<double>(buckets))));
    }
  }
}

TEST(MergeComp, AveragesAGroupOfBucketsAsTheOneBucketThatTheyMakeUp) {
  const auto merged_layout = layout_of({{300, 160, 40}, {25, 5, 70}});
  auto merged = ranks_of(mergecomp(kTopK, {{"plan", {2}}}), 3, kLayout);
  auto whole = ranks_of(choice("topk", {{"ratio", 0.1}}), 3, merged_layout);
  for (int iteration = 0; iteration < 5; ++iteration) {
    const auto gradients = integer_gradients(kLayout, 3, 20, iteration);
    Gradients joined;
    for (const auto& rank : gradients) {
      joined.push_back({at::cat({rank[0], rank[1]}), at::cat({rank[2], rank[3]})});
    }
    EXPECT_TRUE(
        at::equal(at::cat(merged.exchange(gradients)[2]), at::cat(whole.exchange(joined)[2])))
        << iteration;
  }
}

TEST(MergeComp, GivesAllRanksTheSameBitsWhateverMethodAveragesTheGroups) {
  const auto infos = method_infos();
  for (const auto& arm : every_arm()) {
    SCOPED_TRACE(::testing::PrintToString(arm));
    if (!find_named(infos, arm.name)->averages) continue;
    auto ranks = ranks_of(
        mergecomp(choice_to_json(arm), {{"plan", {2, 3}}, {"probe_iterations", 2}}), 3, kLayout);
    for (int iteration = 0; iteration < 4; ++iteration) {
      const auto means = ranks.exchange(integer_gradients(kLayout, 3, 20, iteration));
      EXPECT_TRUE(equal_bits(means[1], means[0])) << iteration;
      EXPECT_TRUE(equal_bits(means[2], means[0])) << iteration;
    }
  }
}

TEST(MergeComp, CallsOnceForEachGroup) {
  auto ranks = ranks_of(mergecomp({{"name", "all-reduce"}}, {{"plan", {3}}}), 3, kLayout);
  const auto gradients = integer_gradients(kLayout, 3, 20, 1);
  EXPECT_TRUE(equal_bits(ranks.exchange(gradients)[1], dense_means(gradients)));
  const auto trace = ranks.engine(1).trace();
  ASSERT_EQ(trace.size(), 4U);
  EXPECT_TRUE(trace[0].collectives.empty() && trace[1].collectives.empty());
  EXPECT_EQ(trace[0].notes.at("averaged_with"), 2);
  ASSERT_EQ(trace[2].collectives.size(), 1U);
  EXPECT_EQ(trace[2].collectives[0].elements, 300 + 200 + 30);
  EXPECT_EQ(trace[3].collectives.at(0).elements, 70);
}

TEST(MergeComp, KeepsWhatIsHeldBackOfEachElementWhenTheSplitChanges) {
  // The first iterations each use another split; then one split stays.
  auto ranks = ranks_of(mergecomp(kTopK, {{"plan", {1, 3, 2, 4, 1, 2}}, {"probe_iterations", 1}}),
                        4, kLayout);
  const auto gradients = integer_gradients(kLayout, 4, 30, 4);
  auto received = at::cat(ranks.exchange(gradients)[0]);
  EXPECT_GT(*ranks.engine(2).method().residual_norm(), 0);
  const auto nothing = integer_gradients(kLayout, 4, 0, 4);
  for (int iteration = 0; iteration < 30; ++iteration) {
    received += at::cat(ranks.exchange(nothing)[1]);
  }
  EXPECT_TRUE(at::equal(received, at::cat(dense_means(gradients))));
  EXPECT_EQ(*ranks.engine(2).method().residual_norm(), 0);
}

TEST(MergeComp, SearchesAlikeOnAllRanksAndDoesItAgainToTheBit) {
  auto searching = ranks_of(mergecomp(kTopK, {{"probe_iterations", 2}}), 3, kLayout);
  Json decided = Json::array();
  Gradients means;
  for (int iteration = 1; iteration <= 16; ++iteration) {
    means.push_back(searching.exchange(integer_gradients(kLayout, 3, 20, iteration))[0]);
    const auto last = searching.engine(0).trace().back();
    if (last.index != ExchangeEngine::kBeside) continue;
    EXPECT_EQ(iteration % 2, 0);
    const auto& splits = last.notes.at("decided");
    EXPECT_EQ(searching.engine(2).trace().back().notes.at("decided"), splits);
    decided.insert(decided.end(), splits.begin(), splits.end());
  }
  EXPECT_GE(decided.size(), 4U) << "the first, its neighbour, one or two more, and the fastest";
  EXPECT_LE(decided.size(), 6U);
  auto again = ranks_of(mergecomp(kTopK, {{"probe_iterations", 2}, {"plan", decided}}), 3, kLayout);
  for (std::size_t i = 0; i < means.size(); ++i) {
    const auto gradients = integer_gradients(kLayout, 3, 20, static_cast<std::int64_t>(i) + 1);
    EXPECT_TRUE(equal_bits(again.exchange(gradients)[0], means[i])) << i;
  }
}

TEST(MergeComp, FailsAllBucketsOfAGroupWithTheReasonOfOne) {
  auto ranks = ranks_of(mergecomp({{"name", "terngrad"}}, {{"plan", {4}}}), 2, kLayout);
  auto gradients = integer_gradients(kLayout, 2, 20, 1);
  gradients[0][1].fill_(std::nanf(""));
  EXPECT_THROW(ranks.exchange(gradients), std::runtime_error);
  for (const auto& failure : ranks.failures()[0]) EXPECT_TRUE(failure);
}

}  // namespace
}  // namespace pacbench::trainer::test::mergecomp_test
