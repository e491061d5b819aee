#include "netem/session/schedule.h"

#include <gtest/gtest.h>

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
  const std::vector<std::pair<std::int64_t, double>> expected{{7, 50}, {1'500'000'007, 500}};
  EXPECT_EQ(first(timeline, 9), expected);
}

TEST(Timeline, BeginsAgainAfterItsPeriodCountedFromItsStart) {
  const Timeline timeline{{{"worker0.up"}, {{100, 50}, {300, 500}}, 400}, 0};
  const std::vector<std::pair<std::int64_t, double>> expected{{100'000'000, 50},
                                                              {300'000'000, 500},
                                                              {500'000'000, 50},
                                                              {700'000'000, 500},
                                                              {900'000'000, 50}};
  EXPECT_EQ(first(timeline, 5), expected);
}

}  // namespace
}  // namespace pacbench::netem
