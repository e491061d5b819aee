#include "netem/session/schedule.h"

#include "tests/unit/contract/matchers.h"

namespace pacbench::netem {
namespace {

std::vector<std::pair<std::int64_t, double>> first(Timeline timeline, int count) {
  std::vector<std::pair<std::int64_t, double>> steps;
  for (int i = 0; i < count && timeline.next(); ++i, timeline.advance()) {
    steps.emplace_back(timeline.next()->due_ns, timeline.next()->rate_mbit);
  }
  return steps;
}

TEST(Timeline, EndsWithItsLastStep) {
  const Timeline timeline{{{"worker0.up"}, {{0, 50}, {1500, 500}}, 0}, 7};
  EXPECT_THAT(first(timeline, 9), ElementsAre(Pair(7, 50), Pair(1'500'000'007, 500)));
}

TEST(Timeline, BeginsAgainAfterItsPeriodCountedFromItsStart) {
  const Timeline timeline{{{"worker0.up"}, {{100, 50}, {300, 500}}, 400}, 0};
  EXPECT_THAT(first(timeline, 5),
              ElementsAre(Pair(100'000'000, 50), Pair(300'000'000, 500), Pair(500'000'000, 50),
                          Pair(700'000'000, 500), Pair(900'000'000, 50)));
}

}  // namespace
}  // namespace pacbench::netem
