#include "simulate/network/stream.h"

#include "tests/unit/contract/matchers.h"
#include "tests/unit/simulate/plain_network.h"

namespace pacbench::simulate {
namespace {

constexpr std::int64_t kSegment = 1448;

class StreamTest : public ::testing::Test {
 protected:
  Stream stream(int from, int to) { return stream(from, to, settings); }
  Stream stream(int from, int to, const Stream::Settings& own) {
    return {network, queues, network.path(from, to), network.path(to, from), own};
  }
  Then note(std::vector<double>& times) {
    return [&] { times.push_back(network.now_s()); };
  }

  PlainNetwork network{1514};  // a full frame a second
  Queues queues{network, kMtu};
  Stream::Settings settings{kMtu, kSegment, 100};
  std::vector<double> first, second;
};

TEST_F(StreamTest, CountsFramesWithHeaders) {
  const auto one = frames_of(48, kMtu);
  EXPECT_EQ(one.frames, 1);
  EXPECT_EQ(one.bytes, 48 + 66);
  const auto two = frames_of(1449, kMtu);
  EXPECT_EQ(two.frames, 2);
  EXPECT_EQ(two.bytes, 1449 + 2 * 66);
}

TEST_F(StreamTest, KeepsTheOrderOfWhatIsWritten) {
  auto one = stream(0, 1);
  one.write(3 * kSegment, nullptr, note(first));
  one.write(kSegment, nullptr, note(second));
  network.run();
  EXPECT_THAT(first, ElementsAre(DoubleNear(3, 1e-9)));
  EXPECT_THAT(second, ElementsAre(DoubleNear(4, 1e-9)));
}

TEST_F(StreamTest, PutsAShortMessageIntoTheLastPacketOfTheMessageBeforeIt) {
  settings.packet_bytes = 2 * kSegment;
  auto one = stream(0, 1);
  one.write(8 * kSegment + 100, nullptr, note(first));
  one.write(48, nullptr, note(second));
  network.run();
  // The last packet is one frame of 148 bytes and headers.
  const double end_s = 8 + (148 + 66) / 1514.0;
  EXPECT_THAT(first, ElementsAre(DoubleNear(end_s, 1e-9)));
  EXPECT_THAT(second, ElementsAre(DoubleNear(end_s, 1e-9)));
}

TEST_F(StreamTest, HasTwoPacketsInTheQueueOfItsLinkSoThatConnectionsTakeTurns) {
  auto one = stream(0, 1);
  auto other = stream(0, 2);
  one.write(4 * kSegment, nullptr, note(first));
  other.write(4 * kSegment, nullptr, note(second));
  network.run();
  // The connections send two packets each, in turn.
  EXPECT_THAT(first, ElementsAre(DoubleNear(6, 1e-9)));
  EXPECT_THAT(second, ElementsAre(DoubleNear(8, 1e-9)));
}

TEST_F(StreamTest, AcceptsAMessageAtOnceThatFitsIntoItsSendBuffer) {
  settings.first_window_segments = 2;
  auto one = stream(0, 1);
  one.write(11 * kSegment, note(first), nullptr);
  EXPECT_THAT(first, ElementsAre(0)) << "the buffer holds 5.5 segments for each one of the window";
  network.run();
}

TEST_F(StreamTest, AcceptsALongerMessageWhenTheRestFitsIntoTheBufferThatGrowsWithTheWindow) {
  settings.first_window_segments = 2;
  auto one = stream(0, 1);
  one.write(20 * kSegment, note(first), nullptr);
  network.run();
  // After two acknowledgements the window has 4 segments, so the buffer holds 22. The 18 segments
  // that are left fit into it.
  EXPECT_THAT(first, ElementsAre(DoubleNear(2, 0.1)));
}

TEST_F(StreamTest, KeepsAWindowThatItDoesNotFill) {
  settings.first_window_segments = 10;
  auto one = stream(0, 1);
  one.write(400 * kSegment, note(first), nullptr);
  network.run();
  // The queue of the sender's link leaves two or three segments under way. With a window of 10 the
  // buffer holds 55 segments.
  EXPECT_THAT(first, ElementsAre(DoubleNear(400 - 55, 3)));
}

TEST_F(StreamTest, WaitsForAcknowledgementsOfAMessageThatIsLongerThanItsWindow) {
  auto narrow = settings;
  narrow.first_window_segments = 2;
  auto one = stream(0, 1, narrow);
  auto back = stream(1, 0);
  // The other worker sends data, which leaves its link before any acknowledgement.
  back.write(10 * kSegment, nullptr, note(second));
  one.write(4 * kSegment, nullptr, note(first));
  network.run();
  // Without a window it would take 4 s. The first two segments arrive after 1 and 2 s, and each
  // acknowledgement waits behind two segments of data.
  EXPECT_GT(first.at(0), 4.5);
  EXPECT_LT(first.at(0), 7);
}

TEST_F(StreamTest, OpensItsWindowWithEachAcknowledgement) {
  settings.first_window_segments = 2;
  const auto seconds_for = [&](std::int64_t segments) {
    std::vector<double> ends;
    auto one = stream(0, 1);
    const double start_s = network.now_s();
    one.write(segments * kSegment, nullptr, note(ends));
    network.run();
    return ends.at(0) - start_s;
  };
  // Nothing queues on the way back. So acknowledgements come at once, and no window is ever full.
  EXPECT_NEAR(seconds_for(40), 40, 1);
}

TEST_F(StreamTest, HasAsManyPacketsInTheQueueAsAFastConnectionSendsInAMillisecond) {
  PlainNetwork fast{1514e4};  // a full frame in 0.1 ms
  Queues links{fast, kMtu};
  const Stream::Settings wide{kMtu, kSegment, 100};
  Stream one{fast, links, fast.path(0, 1), fast.path(1, 0), wide};
  Stream other{fast, links, fast.path(0, 2), fast.path(2, 0), wide};
  one.write(5 * kSegment, nullptr, [] {});  // shows that a round trip takes 0.2 ms
  fast.run();
  const double start_s = fast.now_s();
  one.write(20 * kSegment, nullptr, [&] { first.push_back(fast.now_s() - start_s); });
  other.write(20 * kSegment, nullptr, nullptr);
  fast.run();
  // In a millisecond it would send several windows of 100 segments, so the message waits for
  // nobody.
  EXPECT_THAT(first, ElementsAre(DoubleNear(2e-3, 1e-5)));
}

TEST_F(StreamTest, OpensItsWindowUntilAllIsAcknowledgedThatFilledIt) {
  PlainNetwork far{1514e3, 0.03};  // a full frame in 1 ms, 30 ms one way
  Queues links{far, kMtu};
  const Stream::Settings wide{kMtu, kSegment, 20};  // slow start is over
  Stream one{far, links, far.path(0, 1), far.path(1, 0), wide};
  one.write(30 * kSegment, nullptr, note(second));
  far.run();
  // All 29 acknowledgements opened the window, by more than a segment in all. So 21 segments are
  // not longer than it, and wait for no acknowledgement.
  const double start_s = far.now_s();
  one.write(21 * kSegment, nullptr, [&] { first.push_back(far.now_s() - start_s); });
  far.run();
  EXPECT_THAT(first, ElementsAre(DoubleNear(0.021 + 0.03, 1e-6)));
}

}  // namespace
}  // namespace pacbench::simulate
