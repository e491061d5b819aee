// Espresso: compares the plan that it finds with all possible plans, and its exchanges with those
// of the methods alone.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "trainer/averaging/exchange_times.h"

namespace pacbench::trainer::test::espresso_test {
namespace {

const Layout kLayout = layout_of({{300}, {160, 40}, {25, 5}});

/// Random times of buckets by each method.
std::vector<BucketTimes> random_costs(std::size_t buckets, std::size_t ways, unsigned seed) {
  std::mt19937 engine{seed};
  std::uniform_real_distribution<double> number{0, 1};
  std::vector<BucketTimes> costs(buckets);
  double ready_s = 0;
  for (auto& bucket : costs) {
    bucket.ready_s = ready_s;
    ready_s += number(engine);
    for (std::size_t way = 0; way < ways; ++way) {
      bucket.ways.push_back({number(engine), 2 * number(engine), number(engine)});
    }
  }
  return costs;
}

std::size_t others(const ExchangePlan& plan) {
  return plan.size() - static_cast<std::size_t>(std::count(plan.begin(), plan.end(), 0));
}

/// Calls `take` with every plan that begins with `begun`.
template <typename Take>
void for_each_plan(ExchangePlan begun, std::size_t buckets, std::size_t ways, const Take& take) {
  if (begun.size() == buckets) return take(begun);
  for (std::size_t way = 0; way < ways; ++way) {
    auto next = begun;
    next.push_back(way);
    for_each_plan(next, buckets, ways, take);
  }
}

TEST(ExchangePlan, IsTheOneOfAllThatEndsEarliestAndLeavesMostBucketsTheFirstWay) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const auto costs = random_costs(6, 3, seed);
    const auto found = fastest_plan(costs);
    for_each_plan({}, 6, 3, [&](const ExchangePlan& other) {
      EXPECT_LE(finish_s(costs, found), finish_s(costs, other));
      if (finish_s(costs, found) < finish_s(costs, other)) return;
      EXPECT_LE(others(found), others(other));
    });
  }
}

TEST(ExchangePlan, CountsEncodingTheLinkAndDecodingOneAfterTheOther) {
  // Encoding ends at 1 and 3; the link is busy from 1 to 4 and 4 to 5; decoding ends at 6 and 7.
  const std::vector<BucketTimes> costs{{0, {{1, 3, 2}}}, {0.5, {{2, 1, 1}}}};
  EXPECT_DOUBLE_EQ(finish_s(costs, {0, 0}), 7);
}

TEST(ExchangePlan, OfVeryManyBucketsIsFoundToo) {
  const auto costs = random_costs(200, 4, 1);
  EXPECT_LT(finish_s(costs, fastest_plan(costs)), finish_s(costs, ExchangePlan(200, 0)));
}

Choice espresso(const Json& options) { return choice("espresso", options); }

RunFacts over_link(double rate_mbit) {
  RunFacts run;
  run.link.rate_mbit = rate_mbit;
  run.max_iterations = 100;
  return run;
}

TEST(Espresso, GivesEachBucketWhatItsMethodAloneWouldGive) {
  auto planned = ranks_of(espresso({{"costs", "wire"}, {"plan", {0, 2, 1}}}), 3, kLayout);
  std::vector<ThreadRanks> alone;
  alone.push_back(ranks_of(choice("all-reduce"), 3, kLayout));
  alone.push_back(ranks_of(choice("topk", {{"ratio", 0.01}}), 3, kLayout));
  alone.push_back(ranks_of(choice("fp16"), 3, kLayout));
  for (int iteration = 0; iteration < 5; ++iteration) {
    const auto gradients = integer_gradients(kLayout, 3, 20, iteration);
    std::vector<at::Tensor> expected;
    for (std::size_t bucket = 0; bucket < kLayout.size(); ++bucket) {
      expected.push_back(alone[bucket].exchange(gradients)[0][bucket]);
    }
    EXPECT_TRUE(equal_bits(planned.exchange(gradients)[2], expected)) << iteration;
  }
}

TEST(Espresso, LosesNothingOfAGradientWhenABucketChangesItsMethod) {
  const Json methods{{{"name", "topk"}, {"ratio", 0.05}}, {{"name", "all-reduce"}}};
  auto ranks = ranks_of(espresso({{"methods", methods}, {"rounds", 1}, {"plan", {1}}}), 4, kLayout);
  const auto first = integer_gradients(kLayout, 4, 20, 0);
  const auto second = integer_gradients(kLayout, 4, 20, 1);
  const auto received = ranks.exchange(first)[0];
  for (std::size_t bucket = 0; bucket < kLayout.size(); ++bucket) {
    EXPECT_FALSE(at::equal(received[bucket], dense_mean(first, bucket))) << "top-k keeps some";
  }
  const auto more = ranks.exchange(second)[0];
  for (std::size_t bucket = 0; bucket < kLayout.size(); ++bucket) {
    EXPECT_TRUE(at::equal(received[bucket] + more[bucket],
                          dense_mean(first, bucket) + dense_mean(second, bucket)));
  }
  EXPECT_EQ(*ranks.engine(1).method().residual_norm(), 0);
}

/// The number of the method that each bucket used, from its trace.
std::vector<std::size_t> methods_of(ExchangeEngine& engine) {
  std::vector<std::size_t> methods;
  for (const auto& bucket : engine.trace()) {
    if (bucket.index >= 0) methods.push_back(bucket.notes.at("method"));
  }
  return methods;
}

TEST(Espresso, DecidesAlikeOnAllRanksOnceItHasMeasuredSaysSoAndDoesItAgainToTheBit) {
  auto ranks = ranks_of(espresso({{"rounds", 1}}), 4, kLayout, over_link(10));
  Json decided;
  Gradients means;
  for (int iteration = 1; iteration <= 8; ++iteration) {
    SCOPED_TRACE(iteration);
    means.push_back(ranks.exchange(integer_gradients(kLayout, 4, 20, iteration))[0]);
    const auto methods = methods_of(ranks.engine(0));
    for (const int rank : {1, 2, 3}) EXPECT_EQ(methods_of(ranks.engine(rank)), methods);
    if (iteration <= 4) {
      EXPECT_EQ(methods, std::vector<std::size_t>(3, static_cast<std::size_t>(iteration - 1)));
    } else {
      EXPECT_EQ(Json(methods), decided);
    }
    const auto last = ranks.engine(0).trace().back();
    EXPECT_EQ(last.index == ExchangeEngine::kBeside, iteration == 4) << "they agree once";
    if (iteration != 4) continue;
    decided = last.notes.at("decided");
    EXPECT_LE(last.notes.at("expected_ms").get<double>(),
              last.notes.at("expected_ms_of_first").get<double>());
    EXPECT_EQ(ranks.engine(3).trace().back().notes.at("decided"), decided);
  }
  auto again = ranks_of(espresso({{"rounds", 1}, {"plan", decided}}), 4, kLayout);
  for (std::size_t i = 0; i < means.size(); ++i) {
    const auto gradients = integer_gradients(kLayout, 4, 20, static_cast<std::int64_t>(i) + 1);
    EXPECT_TRUE(equal_bits(again.exchange(gradients)[0], means[i])) << i;
  }
}

TEST(Espresso, TakesTheFewestBytesOverASlowLinkWhereTheWireAloneDecides) {
  auto ranks = ranks_of(espresso({{"costs", "wire"}}), 4, kLayout, over_link(0.1));
  ranks.exchange(integer_gradients(kLayout, 4, 20, 1));
  // Top-k of 1 % sends the fewest bytes for 300 and 200 entries, and also for 30.
  EXPECT_EQ(methods_of(ranks.engine(0)), (std::vector<std::size_t>{2, 2, 2}));
}

TEST(Espresso, MeasuresMethodsThatKnowAfterwardsWhatTheySent) {
  const Json methods{{{"name", "omnireduce"}}, {{"name", "all-reduce"}}, {{"name", "zen"}}};
  auto ranks = ranks_of(espresso({{"methods", methods}, {"rounds", 2}}), 3, kLayout, over_link(10));
  for (int iteration = 1; iteration <= 8; ++iteration) {
    const auto gradients = integer_gradients(kLayout, 3, 20, iteration);
    EXPECT_TRUE(equal_bits(ranks.exchange(gradients)[0], dense_means(gradients))) << "lossless";
  }
  EXPECT_THROW(make_method(espresso({{"methods", methods}, {"costs", "wire"}})),
               std::invalid_argument);
}

TEST(Espresso, RefusesAPlanOfMethodsThatItDoesNotHave) {
  EXPECT_THROW(make_method(espresso({{"plan", {4}}})), std::invalid_argument);
  EXPECT_NO_THROW(make_method(espresso({{"plan", {3}}})));
}

TEST(InnerMethods, AreAveragersAlone) {
  EXPECT_NE(make_averager(choice("topk", {{"ratio", 0.1}}), {}), nullptr);
  for (const char* more : {"dgc", "pactrain", "local-sgd", "espresso"}) {
    EXPECT_THROW(make_averager(choice(more, {{"ratio", 0.1}}), {}), std::invalid_argument) << more;
  }
}

}  // namespace
}  // namespace pacbench::trainer::test::espresso_test
