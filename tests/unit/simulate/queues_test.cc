// Events, and the queues and cores for which they wait.
#include "simulate/network/queues.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "simulate/network/events.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/simulate/plain_network.h"

namespace pacbench::simulate {
namespace {

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

/// Matches these times in seconds.
auto at_times(const std::vector<double>& expected_s) {
  return ::testing::Pointwise(DoubleNear(1e-9), expected_s);
}

/// Two directions, 0 and 1, each with a service of its own.
class TwoHops : public PlainNetwork {
 public:
  TwoHops(Service first, Service second) : services_{first, second} {}
  const Service& service(int direction) override {
    return services_.at(static_cast<std::size_t>(direction));
  }

 private:
  std::vector<Service> services_;
};

class QueuesTest : public ::testing::Test {
 protected:
  /// Sends packets of these sizes in bytes at once over `path`. Returns the time in seconds at
  /// which each arrives.
  static std::vector<double> arrivals(TwoHops& network, const Path& path,
                                      const std::vector<double>& sizes) {
    Queues queues{network, kMtu};
    std::vector<double> ends;
    network.after(0, [&] {
      for (const double size : sizes) {
        queues.pass(path, size, [&] { ends.push_back(network.now_s()); });
      }
    });
    network.run();
    return ends;
  }

  Path first_only_{{0}, 0};
  Path both_{{0, 1}, 0.25};
  Service wire_{1514, {}};        // a full frame a second
  Service bucket_{1514, 1514.0};  // the same rate, with a bucket of one frame
  Service large_bucket_{1514, 15140.0};
};

TEST_F(QueuesTest, OfAWireSendPacketsOneAfterAnother) {
  TwoHops network{wire_, wire_};
  EXPECT_THAT(arrivals(network, first_only_, {1514, 757, 757}), at_times({1, 1.5, 2}));
}

TEST_F(QueuesTest, OfTwoWiresPassOnAPacketFrameByFrameAndEndWithItsLastFrame) {
  // The packet has four frames. The second wire of the path begins after the first frame; the
  // latency comes last.
  TwoHops alike{wire_, wire_};
  EXPECT_THAT(arrivals(alike, both_, {4 * 1514}), at_times({5.25}));
  TwoHops fast_last{wire_, {10 * 1514, {}}};
  EXPECT_THAT(arrivals(fast_last, both_, {4 * 1514}), at_times({4.35}));
}

TEST_F(QueuesTest, OfATokenBucketPassOnAPacketOnceTheBucketOwesNothing) {
  TwoHops network{bucket_, bucket_};
  // The bucket holds a frame. The first packet empties it; the second leaves a debt of two seconds.
  EXPECT_THAT(arrivals(network, first_only_, {1514, 2 * 1514, 1514}), at_times({0, 0, 2}));
}

TEST_F(QueuesTest, BehindATokenBucketCostNothingWhereTheBucketIsLarge) {
  TwoHops network{bucket_, large_bucket_};
  EXPECT_THAT(arrivals(network, both_, {1514, 1514, 1514}), at_times({0.25, 0.25, 1.25}));
}

TEST_F(QueuesTest, SayWhenAPacketLeavesTheFirstOfThem) {
  TwoHops network{wire_, wire_};
  Queues queues{network, kMtu};
  EXPECT_DOUBLE_EQ(queues.pass(both_, 1514, nullptr), 1);
  EXPECT_DOUBLE_EQ(queues.pass(both_, 1514, nullptr), 2);
}

std::vector<double> ends_of_three_works(int cores) {
  PlainNetwork network;
  Cores shared{network, cores};
  std::vector<double> ends;
  for (int i = 0; i < 3; ++i) {
    shared.work(1, [&] { ends.push_back(network.now_s()); });
  }
  network.run();
  return ends;
}

TEST(Cores, MakeWorkWaitForOneOfThem) {
  EXPECT_THAT(ends_of_three_works(1), ElementsAre(1, 2, 3));
  EXPECT_THAT(ends_of_three_works(2), ElementsAre(1, 1, 2));
  EXPECT_THAT(ends_of_three_works(0), ElementsAre(1, 1, 1)) << "each has its own";
}

}  // namespace
}  // namespace pacbench::simulate
