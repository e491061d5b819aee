#include "simulate/gloo/transport.h"

#include <gmock/gmock.h>

#include "tests/unit/simulate/plain_network.h"

namespace pacbench::simulate {
namespace {

struct Times {
  std::vector<double> sent;
  std::vector<double> received;
};

class TransportTest : public ::testing::Test {
 protected:
  void post(Transport& transport, const Transport::Message& message) {
    transport.send(message, [this] { times.sent.push_back(network.now_s()); });
    transport.receive(message, [this] { times.received.push_back(network.now_s()); });
  }

  PlainNetwork network{1e6, 0.010};
  Times times;
};

TEST_F(TransportTest, CountsFramesWithHeaders) {
  const auto one = frames_of(48, kMtu);
  EXPECT_EQ(one.frames, 1);
  EXPECT_EQ(one.bytes, 48 + 66);
  const auto two = frames_of(1449, kMtu);
  EXPECT_EQ(two.frames, 2);
  EXPECT_EQ(two.bytes, 1449 + 2 * 66);
}

TEST_F(TransportTest, SendsNothingBeforeItHasHeardOfTheReceiver) {
  Transport transport{network, only_links(), 2, kMtu};
  post(transport, {0, 0, 0, 1, 952});
  network.run();
  // The receiver's word takes 10 ms, 1066 bytes 1.066 ms, the way 10 ms.
  EXPECT_THAT(times.sent, ::testing::ElementsAre(::testing::DoubleNear(0.011066, 1e-9)));
  EXPECT_THAT(times.received, ::testing::ElementsAre(::testing::DoubleNear(0.021066, 1e-9)));
}

TEST_F(TransportTest, SendsOneMessageAfterAnotherOverAConnection) {
  Transport transport{network, only_links(), 2, kMtu};
  post(transport, {0, 0, 0, 1, 952});
  post(transport, {0, 1, 0, 1, 952});  // of another collective
  network.run();
  // The second follows at once: its way is not waited for.
  EXPECT_THAT(times.received, ::testing::ElementsAre(::testing::DoubleNear(0.021066, 1e-9),
                                                     ::testing::DoubleNear(0.022132, 1e-9)));
}

TEST_F(TransportTest, TakesMessagesOfOneCollectiveInTheirOrder) {
  Transport transport{network, only_links(), 2, kMtu};
  std::vector<int> order;
  transport.send({0, 0, 0, 1, 10'000}, [] {});
  transport.send({0, 0, 0, 1, 1}, [] {});
  transport.receive({0, 0, 0, 1, 10'000}, [&] { order.push_back(1); });
  transport.receive({0, 0, 0, 1, 1}, [&] { order.push_back(2); });
  network.run();
  EXPECT_THAT(order, ::testing::ElementsAre(1, 2));
}

TEST_F(TransportTest, WorksForEachMessageAndItsBytes) {
  auto model = only_links();
  model.message_ms = 5;
  model.work_ns_per_byte = 1000;
  Transport transport{network, model, 2, kMtu};
  post(transport, {0, 0, 0, 1, 1000});
  network.run();
  EXPECT_THAT(times.received, ::testing::ElementsAre(
                                  ::testing::DoubleNear(0.010 + 0.001114 + 0.010 + 0.006, 1e-9)));
}

TEST_F(TransportTest, LetsWordsWaitBehindDataInTheQueuesOfSwitches) {
  class ByWayOfASwitch : public PlainNetwork {
   public:
    using PlainNetwork::PlainNetwork;
    const Path& path(int from, int /*to*/) override { return from == 0 ? there_ : back_; }

   private:
    Path there_{{0}, 0, -1};
    Path back_{{2, 1}, 0, -1};  // worker 1's word crosses a switch's direction, number 1
  };
  ByWayOfASwitch switched{1e6};
  switched.standing = 50'000;
  Transport transport{switched, only_links(), 2, kMtu};
  double received_s = 0;
  transport.send({0, 0, 0, 1, 952}, [] {});
  transport.receive({0, 0, 0, 1, 952}, [&] { received_s = switched.now_s(); });
  switched.run();
  EXPECT_NEAR(received_s, 0.050 + 0.001066, 1e-9);
}

TEST_F(TransportTest, CountsAnnouncementsAndReadinessBesideThePayload) {
  Transport transport{network, only_links(), 2, kMtu};
  post(transport, {0, 0, 0, 1, 952});
  network.run();
  EXPECT_EQ(transport.sent_by(0).bytes, (48 + 66) + (48 + 952 + 66));
  EXPECT_EQ(transport.sent_by(0).frames, 2);
  EXPECT_EQ(transport.sent_by(1).bytes, 48 + 66);
  EXPECT_EQ(transport.received_by(1).bytes, transport.sent_by(0).bytes);
  EXPECT_EQ(transport.carried().at(0).bytes, transport.sent_by(0).bytes);
}

}  // namespace
}  // namespace pacbench::simulate
