#include "simulate/network/events.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace pacbench::simulate {
namespace {

using ::testing::ElementsAre;

TEST(Events, HappenInTheOrderOfTheirTimesAndAtTheSameTimeInThatInWhichTheyWereAdded) {
  std::mt19937 random{1};
  std::vector<double> times(10'000);
  // 1,000 different times, from a microsecond to 17 minutes.
  for (auto& time : times) time = 1e-6 * static_cast<double>((random() % 1000) * 1'000'000 + 1);
  std::vector<std::size_t> expected(times.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](auto a, auto b) { return times[a] < times[b]; });

  Events events;
  std::vector<std::size_t> happened;
  for (std::size_t number = 0; number < times.size(); ++number) {
    events.add(times[number], [&, number] {
      EXPECT_EQ(events.now_s(), times[number]);
      happened.push_back(number);
    });
  }
  events.run();

  EXPECT_EQ(happened, expected);
}

TEST(Events, AddedByAnEventTakeTheirPlaceAmongTheOthers) {
  Events events;
  std::vector<int> happened;
  const auto note = [&](int number) { return [&happened, number] { happened.push_back(number); }; };
  events.add(1, [&] {
    happened.push_back(1);
    events.add(1, note(3));
    events.add(1.5, note(4));
    events.add(3, note(6));
  });
  events.add(1, note(2));
  events.add(2, note(5));
  events.run();

  EXPECT_THAT(happened, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(events.now_s(), 3);
}

TEST(Events, ForATimeThatIsPastHappenAtOnce) {
  Events events;
  double happened_at_s = 0;
  events.add(2, [&] { events.add(1, [&] { happened_at_s = events.now_s(); }); });
  events.add(-0.0, [&] { EXPECT_EQ(events.now_s(), 0); });
  events.run();

  EXPECT_EQ(happened_at_s, 2);
}

TEST(Events, MayBeAddedAfterARun) {
  Events events;
  int happened = 0;
  events.run();
  events.add(1, [&] { ++happened; });
  events.run();
  events.add(1, [&] { ++happened; });
  events.run();

  EXPECT_EQ(happened, 2);
}

}  // namespace
}  // namespace pacbench::simulate
