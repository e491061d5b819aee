#include "harness/record/program_bytes.h"

#include <gmock/gmock.h>

#include "harness/plan/plan.h"

namespace pacbench::record {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// What each of the ranks sent.
struct Sent {
  std::int64_t link_bytes = 0;
  std::int64_t link_packets = 0;
  std::int64_t control_bytes = 0;
  std::int64_t loopback_bytes = 0;
  int ranks = 2;
  std::int64_t steps = 0;  ///< 0: none reported
};

netd::CountersReply counted(const Sent& sent) {
  netd::CountersReply counters;
  for (int rank = 0; rank < sent.ranks; ++rank) {
    counters.links.push_back(
        {fmt::format("worker{}.up", rank), sent.link_bytes, sent.link_packets, 0});
    counters.retransmitted_segments.push_back(0);
    counters.control_bytes.push_back(sent.control_bytes);
    counters.loopback_bytes.push_back(sent.loopback_bytes);
  }
  return counters;
}

CellRecord recorded(const Sent& sent) {
  CellRecord record{0};
  for (std::int64_t step = 1; step <= sent.steps; ++step) {
    const auto at = 1000 * step;
    record.add({{"event", "step"},
                {"rank", 0},
                {"iteration", step},
                {"step", {at, at + 1000}},
                {"training_s", 1e-6 * static_cast<double>(step)}});
  }
  record.add(CellRecord::counters_event(counted(sent)));
  return record;
}

std::vector<std::string> reasons(const CellRecord& record) {
  std::vector<std::string> all;
  judge_program_bytes(record, all);
  return all;
}

std::vector<std::string> reasons(const Sent& sent) { return reasons(recorded(sent)); }

TEST(ProgramBytes, AreSuspectWhereRanksMovedNothing) {
  EXPECT_THAT(reasons(Sent{.steps = 100}),
              ElementsAre(AllOf(HasSubstr("each rank sent 0 bytes in a step"),
                                HasSubstr("TP_SOCKET_IFNAME"), HasSubstr("sends_little"))));
  // Without steps the rendezvous alone may have crossed the links.
  EXPECT_THAT(reasons(Sent{}), ElementsAre(HasSubstr("each rank sent 0 bytes. So")));
  EXPECT_THAT(reasons(Sent{.link_bytes = 2000, .link_packets = 25}),
              ElementsAre(HasSubstr("2000 bytes, ")));
}

/// Numbers once measured of a program whose ranks read each other's memory.
TEST(ProgramBytes, AreSuspectWhereOnlySmallMessagesCrossed) {
  EXPECT_THAT(reasons(Sent{.link_bytes = 195'000, .link_packets = 1'500, .steps = 1'500}),
              ElementsAre(HasSubstr("130 bytes in a step, in frames of 130 bytes")));
}

TEST(ProgramBytes, AreOkWhereRanksExchangeSeldomOrLittleAtATime) {
  // An exchange of 200 kB every 500 steps, in full frames and acknowledgements.
  EXPECT_THAT(reasons(Sent{.link_bytes = 209'000, .link_packets = 210, .steps = 500}), IsEmpty());
  // A model of 5 kB in each step.
  EXPECT_THAT(reasons(Sent{.link_bytes = 30 * 5'800, .link_packets = 30 * 14, .steps = 30}),
              IsEmpty());
  EXPECT_THAT(reasons(Sent{.link_bytes = 6'000, .link_packets = 40}), IsEmpty());
}

TEST(ProgramBytes, AreOkWithOneRankBeforeTheEndAndWhereTheScenarioSaysThatTheyAreFew) {
  EXPECT_THAT(reasons(Sent{.loopback_bytes = 1'000'000, .ranks = 1, .steps = 10}), IsEmpty());
  EXPECT_THAT(reasons(CellRecord{0}), IsEmpty()) << "nothing was counted";
  const auto scenario = Scenario{};
  plan::Cell cell;
  cell.method.choice.options = {{"sends_little", true}};
  CellRecord little{scenario, cell};
  little.add(CellRecord::counters_event(counted({})));
  EXPECT_THAT(reasons(little), IsEmpty());
}

TEST(ProgramBytes, AreSuspectWhereProcessesOfOneRankExchange) {
  EXPECT_THAT(reasons(Sent{.link_bytes = 900, .link_packets = 10, .loopback_bytes = 4'000'000}),
              ElementsAre(AllOf(HasSubstr("4000 kB over its loopback device and 900 bytes"),
                                HasSubstr("torchrun"), Not(HasSubstr("next to nothing")))));
  EXPECT_THAT(
      reasons(Sent{.link_bytes = 1'000'000, .link_packets = 1'000, .loopback_bytes = 4'000'000}),
      IsEmpty());
}

TEST(ProgramBytes, AreSuspectWhereDataGoesOverTheControlNetworkAndNotForTheRendezvous) {
  EXPECT_THAT(
      reasons(Sent{.link_bytes = 1'000'000, .link_packets = 1'000, .control_bytes = 40'000}),
      ElementsAre(AllOf(HasSubstr("3.8 % of the bytes"), HasSubstr("40 kB of each rank"),
                        HasSubstr("TP_SOCKET_IFNAME"), HasSubstr("NCCL_SOCKET_IFNAME"))));
  // The rendezvous of 8 ranks with two groups, in a program that sends 0.3 MB in all.
  EXPECT_THAT(
      reasons(Sent{.link_bytes = 280'000, .link_packets = 900, .control_bytes = 5'600, .ranks = 8}),
      IsEmpty());
}

TEST(ProgramBytes, BesideALoadAreThoseThatTheLoadDoesNotExplain) {
  const auto beside_a_load = [](std::int64_t link_bytes) {
    CellRecord record{0};
    // 10 MB of payload in 7000 segments: frames of 10.5 MB, of which one rank sends the data.
    const Json line{{"event", "done"},     {"at_ns", 2'000'000'000},
                    {"bytes", 10'000'000}, {"sent_bytes", 10'000'000},
                    {"segments", 7'000},   {"segments_received", 3'500},
                    {"retransmits", 0}};
    record.add(NetworkTrace::load_event(0, line));
    record.add(
        CellRecord::counters_event(counted({.link_bytes = link_bytes, .link_packets = 5'000})));
    return reasons(record);
  };
  // What both ranks' links carried, less 10.7 MB of the load.
  EXPECT_THAT(beside_a_load(5'360'000),
              ElementsAre(HasSubstr("next to nothing crossed the links beside the loads")));
  EXPECT_THAT(beside_a_load(6'000'000), IsEmpty());
}

TEST(ProgramBytes, BeforeTheReportThatTrainingBeganDoNotCount) {
  auto before = counted({.link_bytes = 5'000'000, .link_packets = 4'000});
  CellRecord record{0};
  record.add(CellRecord::counters_at_start_event(before, 1));
  record.add(CellRecord::counters_event(before));
  EXPECT_THAT(reasons(record), ElementsAre(HasSubstr("each rank sent 0 bytes")));
}

}  // namespace
}  // namespace pacbench::record
