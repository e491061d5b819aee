#include "harness/record/program_bytes.h"

#include <gmock/gmock.h>

#include "harness/plan/plan.h"

namespace pacbench::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

TEST(ProgramBytes, AreSuspectWhereTheyAreNextToNothingOrGoAnotherWay) {
  const struct {
    Sent sent;
    ::testing::Matcher<std::vector<std::string>> expected;
  } cases[] = {
      {{.steps = 100}, ElementsAre(HasSubstr("each rank sent 0 bytes in a step"))},
      // Without steps the rendezvous alone may have crossed the links.
      {{}, ElementsAre(HasSubstr("each rank sent 0 bytes. So"))},
      {{.link_bytes = 2'000, .link_packets = 25}, ElementsAre(HasSubstr("2000 bytes, "))},
      {{.link_bytes = 6'000, .link_packets = 40}, IsEmpty()},
      // Numbers once measured of a program whose ranks read each other's memory.
      {{.link_bytes = 195'000, .link_packets = 1'500, .steps = 1'500},
       ElementsAre(HasSubstr("130 bytes in a step, in frames of 130 bytes"))},
      // An exchange of 200 kB every 500 steps, in full frames and acknowledgements.
      {{.link_bytes = 209'000, .link_packets = 210, .steps = 500}, IsEmpty()},
      // A model of 5 kB in each step.
      {{.link_bytes = 30 * 5'800, .link_packets = 30 * 14, .steps = 30}, IsEmpty()},
      // Processes of one rank exchange.
      {{.link_bytes = 900, .link_packets = 10, .loopback_bytes = 4'000'000},
       ElementsAre(HasSubstr("4000 kB over its loopback device and 900 bytes"))},
      {{.link_bytes = 1'000'000, .link_packets = 1'000, .loopback_bytes = 4'000'000}, IsEmpty()},
      {{.loopback_bytes = 1'000'000, .ranks = 1, .steps = 10}, IsEmpty()},
      {{.link_bytes = 1'000'000, .link_packets = 1'000, .control_bytes = 40'000},
       ElementsAre(HasSubstr("3.8 % of the bytes that the program sent, 40 kB of each rank"))},
      // The rendezvous of 8 ranks with two groups, in a program that sends 0.3 MB in all.
      {{.link_bytes = 280'000, .link_packets = 900, .control_bytes = 5'600, .ranks = 8}, IsEmpty()},
  };
  for (const auto& [sent, expected] : cases) EXPECT_THAT(reasons(recorded(sent)), expected);
}

TEST(ProgramBytes, AreOkBeforeTheEndAndWhereTheScenarioSaysThatTheyAreFew) {
  EXPECT_THAT(reasons(CellRecord{0}), IsEmpty()) << "nothing was counted";
  plan::Cell cell;
  cell.method.choice.options = {{"sends_little", true}};
  CellRecord little{Scenario{}, cell};
  little.add(CellRecord::counters_event(counted({})));
  EXPECT_THAT(reasons(little), IsEmpty());
}

TEST(ProgramBytes, BesideALoadAreThoseThatTheLoadDoesNotExplain) {
  const auto beside_a_load = [](std::int64_t link_bytes) {
    CellRecord record{0};
    // 10 MB of payload in 7000 segments: frames of 10.5 MB, of which one rank sends the data.
    record.add(NetworkTrace::load_event(0, Json::parse(R"({"event": "done", "at_ns": 2000000000,
        "bytes": 10000000, "sent_bytes": 10000000, "segments": 7000, "segments_received": 3500,
        "retransmits": 0})")));
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
