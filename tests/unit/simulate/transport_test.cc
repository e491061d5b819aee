#include "simulate/gloo/transport.h"

#include "tests/unit/contract/matchers.h"
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

TEST_F(TransportTest, SendsOneMessageAfterAnotherOnceItIsNotifiedOfTheReceiver) {
  Transport transport{network, only_links(), 2, whole_messages()};
  post(transport, {0, 0, 0, 1, 952});
  post(transport, {0, 1, 0, 1, 952});  // of another collective
  network.run();
  // The notification of 114 bytes takes 0.114 ms on the link and 10 ms of latency. Then the message
  // of 1066 bytes takes 1.066 ms and 10 ms. The second message follows at once, without waiting
  // until the first has arrived.
  EXPECT_NEAR(times.sent.at(0), 0.010114, 1e-9);
  EXPECT_THAT(times.received, ElementsAre(DoubleNear(0.021180, 1e-9), DoubleNear(0.022246, 1e-9)));
}

TEST_F(TransportTest, LetsANotificationWaitForWhatItsWorkerSendsToTheSamePeer) {
  Transport transport{network, only_links(), 3, whole_messages()};
  double to_same_peer_s = 0;
  double to_other_peer_s = 0;
  transport.receive({0, 0, 1, 0, 1'000'000}, [] {});
  transport.send({0, 0, 1, 0, 1'000'000}, [] {});
  network.after(0.1, [&] {  // worker 1's second of data to worker 0 is under way
    transport.send({0, 0, 0, 1, 952}, [] {});
    transport.receive({0, 0, 0, 1, 952}, [&] { to_same_peer_s = network.now_s(); });
    transport.send({0, 0, 2, 0, 952}, [] {});
    transport.receive({0, 0, 2, 0, 952}, [&] { to_other_peer_s = network.now_s(); });
  });
  network.run();
  EXPECT_GT(to_same_peer_s, 1);
  EXPECT_LT(to_other_peer_s, 0.2);
}

TEST_F(TransportTest, TakesMessagesOfOneCollectiveInTheirOrder) {
  Transport transport{network, only_links(), 2, whole_messages()};
  std::vector<int> order;
  transport.send({0, 0, 0, 1, 10'000}, [] {});
  transport.send({0, 0, 0, 1, 1}, [] {});
  transport.receive({0, 0, 0, 1, 10'000}, [&] { order.push_back(1); });
  transport.receive({0, 0, 0, 1, 1}, [&] { order.push_back(2); });
  network.run();
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST_F(TransportTest, WorksForEachMessageAndItsBytes) {
  auto model = only_links();
  model.message_ms = 5;
  model.work_ns_per_byte = 1000;
  Transport transport{network, model, 2, whole_messages()};
  post(transport, {0, 0, 0, 1, 1000});
  network.run();
  EXPECT_THAT(times.received, ElementsAre(DoubleNear(0.010114 + 0.001114 + 0.010 + 0.006, 1e-9)));
}

TEST_F(TransportTest, CountsAnnouncementsAndReadinessBesideThePayload) {
  Transport transport{network, only_links(), 2, whole_messages()};
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
