#include "simulate/network/queues.h"

#include <gmock/gmock.h>

#include "tests/unit/simulate/plain_network.h"

namespace pacbench::simulate {
namespace {

/// Matches these times in seconds.
auto at_times(const std::vector<double>& expected_s) {
  return ::testing::Pointwise(::testing::DoubleNear(1e-9), expected_s);
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

}  // namespace
}  // namespace pacbench::simulate
