#include "analysis/figures/trade_offs.h"
#include "tests/unit/contract/matchers.h"

namespace pacbench::figures {
namespace {

TEST(ParetoFront, HoldsWhatNothingElseBeatsAndBothOfTwoThatAreEqual) {
  EXPECT_THAT(pareto_front({{1, 0.97}, {2, 0.96}, {1.5, 0.95}, {3, 0.90}}),
              ElementsAre(true, true, false, true));
  EXPECT_THAT(pareto_front({{1, 0.9}, {1, 0.9}, {1, 0.8}}), ElementsAre(true, true, false))
      << "one is equally fast and worse";
}

/// A wire-bound method: 100 s at 100 Mbit/s, inversely proportional to the rate.
RateSeries wire_bound() { return {"dense", {{100, 100.0}, {1000, 10.0}}}; }
/// A compute-bound method: the same time at every rate.
RateSeries compute_bound(double tta_s) { return {"sparse", {{100, tta_s}, {1000, tta_s}}}; }

TEST(Crossings, FindTheRateAtWhichTheFastestMethodChanges) {
  const auto found = fastest_changes({wire_bound(), compute_bound(20)});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(found[0].rate_mbit, 500, 1e-9);
  EXPECT_NEAR(found[0].tta_s, 20, 1e-9);
  EXPECT_EQ(found[0].slower_links, "sparse");
  EXPECT_EQ(found[0].faster_links, "dense");
}

TEST(Crossings, AreNoneWhereTheFastestDoesNotChangeBetweenMeasuredRates) {
  EXPECT_THAT(fastest_changes({wire_bound(), compute_bound(5)}), SizeIs(0));
  EXPECT_THAT(fastest_changes({{"one", {{100, 1.0}}}, {"other", {{100, 2.0}}}}), SizeIs(0));
  const RateSeries fastest{"best", {{100, 1.0}, {1000, 1.0}}};
  EXPECT_THAT(fastest_changes({wire_bound(), compute_bound(20), fastest}), SizeIs(0))
      << "two meet above a third";
  const RateSeries never{"never", {{100, std::nullopt}, {1000, 1.0}}};
  EXPECT_THAT(fastest_changes({compute_bound(20), never}), SizeIs(0));
}

TEST(Crossings, FollowTheFastestThroughSeveralChanges) {
  const RateSeries steep{"steep", {{100, 50.0}, {1000, 5.0}}};
  const RateSeries flat{"flat", {{100, 15.0}, {1000, 15.0}}};
  const RateSeries middle{"middle", {{100, 18.0}, {1000, 9.0}}};
  std::vector<std::string> order;
  for (const auto& crossing : fastest_changes({steep, flat, middle})) {
    order.push_back(crossing.faster_links);
  }
  EXPECT_THAT(order, ElementsAre("middle", "steep"));
}

}  // namespace
}  // namespace pacbench::figures
