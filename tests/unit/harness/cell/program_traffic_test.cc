#include "harness/cell/program_traffic.h"

#include <gtest/gtest.h>

namespace pacbench::cell::program_traffic_test {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kFrame = 1514;
constexpr std::int64_t kAcknowledgement = 66;

Json load_line(std::int64_t at_ms, std::int64_t segments) {
  return record::NetworkTrace::load_event(0, {{"event", "sent"},
                                              {"at_ns", at_ms * kMillisecond},
                                              {"bytes", 1448 * segments},
                                              {"sent_bytes", 1448 * segments},
                                              {"segments", segments},
                                              {"segments_received", segments / 2},
                                              {"retransmits", 0}});
}

/// Counters of a load from worker 0 to worker 1, when `frames` of the load's frames have arrived.
/// `own_bytes` of the program went from worker 1 to worker 0. All crossed a trunk.
netd::CountersReply counted(std::int64_t frames, std::int64_t own_bytes = 0) {
  const auto acknowledgements = frames / 2 * kAcknowledgement;
  return {{{"worker0.up", frames * kFrame, 0, 0},
           {"worker0.down", acknowledgements + own_bytes, 0, 0},
           {"worker1.up", acknowledgements + own_bytes, 0, 0},
           {"worker1.down", frames * kFrame, 0, 0},
           {"trunk0.forward", frames * kFrame, 0, 0},
           {"trunk0.backward", acknowledgements + own_bytes, 0, 0}},
          {0, 0},
          {}};
}

/// The record of a load of 1000 frames a second until `until_ms`.
record::NetworkTrace steady_load(std::int64_t until_ms) {
  record::NetworkTrace network;
  for (std::int64_t at_ms = 100; at_ms <= until_ms; at_ms += 100) {
    network.add(EventKind::kLoad, load_line(at_ms, at_ms));
  }
  return network;
}

/// Whether has_moved() sees `own_bytes` that the program moved between 2 s and 5 s. The load's last
/// report is 0.1 s old at the first time, and `lag_ms` old at the second.
bool moves(std::int64_t own_bytes, std::int64_t lag_ms) {
  const auto before = received_at(2000 * kMillisecond, counted(2000), steady_load(1900));
  const auto now =
      received_at(5000 * kMillisecond, counted(5000, own_bytes), steady_load(5000 - lag_ms));
  return has_moved(before, now, 0);
}

TEST(ProgramTraffic, OfALoadAloneIsNoMovement) {
  EXPECT_FALSE(moves(0, 0));
  EXPECT_FALSE(moves(0, 100));
  EXPECT_FALSE(moves(0, 200)) << "what the load sent since its last report is not the program's";
}

TEST(ProgramTraffic, BesideALoadIsMovement) {
  // A load of 1.5 MB/s hides what it sends in 0.2 s, and 1 % of its 4.5 MB: 0.35 MB.
  EXPECT_TRUE(moves(700'000, 0));
  EXPECT_TRUE(moves(700'000, 200));
}

TEST(ProgramTraffic, WithoutLoadsIsMovementHoweverLittle) {
  const record::NetworkTrace none;
  const auto before = received_at(2000 * kMillisecond, counted(0, 66), none);
  EXPECT_FALSE(has_moved(before, received_at(5000 * kMillisecond, counted(0, 66), none), 0));
  EXPECT_TRUE(has_moved(before, received_at(5000 * kMillisecond, counted(0, 132), none), 0));
}

TEST(ProgramTraffic, WithinWhatOthersMayMoveIsNoMovement) {
  const record::NetworkTrace none;
  const Received before{2000 * kMillisecond, 0, 0};
  const auto has_moved_beside_others = [&](std::int64_t own_bytes) {
    const auto now = received_at(5000 * kMillisecond, counted(0, own_bytes), none);
    return has_moved(before, now, 10'000);
  };
  EXPECT_FALSE(has_moved_beside_others(29'000));
  EXPECT_TRUE(has_moved_beside_others(31'000));
}

}  // namespace
}  // namespace pacbench::cell::program_traffic_test
