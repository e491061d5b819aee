#include "analysis/export/trace_clock.h"

#include <gtest/gtest.h>

namespace pacbench::exports {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(TraceClock, KeepsTheTimesBetweenSteps) {
  TraceClock clock;
  clock.begin_cell();
  clock.follow(0, {500, 600});
  const auto first = clock.at(500);
  clock.follow(0, {700, 800});
  EXPECT_EQ(clock.at(700), first + 200);
}

TEST(TraceClock, PutsACellASecondAfterTheOneBefore) {
  TraceClock clock;
  clock.begin_cell();
  clock.follow(0, {500, 600});
  clock.follow(1, {505, 620});
  const auto end = clock.at(620);
  clock.begin_cell();
  clock.follow(0, {90'000, 91'000});
  EXPECT_EQ(clock.at(90'000), end + kSecond);
}

TEST(TraceClock, GoesOnAfterARestartOfTheMachine) {
  TraceClock clock;
  clock.begin_cell();
  clock.follow(0, {900'000, 900'100});
  clock.follow(1, {900'000, 900'150});
  const auto end = clock.at(900'150);
  clock.follow(0, {10, 20});
  clock.follow(1, {12, 22});
  EXPECT_EQ(clock.at(10), end + kSecond);
  EXPECT_EQ(clock.at(12), end + kSecond + 2);
}

TEST(TraceClock, HasRoomForARankThatBeganBeforeTheFirstLine) {
  TraceClock clock;
  clock.begin_cell();
  clock.follow(1, {1000, 2000});
  EXPECT_EQ(clock.at(900), kSecond - 100);
}

}  // namespace
}  // namespace pacbench::exports
