#include "harness/record/gloo_wire.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "harness/record/cell_result.h"
#include "harness/store/files.h"
#include "harness/store/packed_run.h"

namespace pacbench::record::gloo_wire_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

CollectiveTrace call(const std::string& op, std::int64_t elements, std::int64_t payload_bytes,
                     std::int64_t sent_bytes) {
  return {op, "float32", elements, payload_bytes, sent_bytes, 0, {}};
}

/// GlooAlgorithms.SendAsManyMessages… has the segments of a ring.
TEST(GlooWire, CountsTheMessagesOfEachOtherCollective) {
  EXPECT_EQ(gloo_messages(call("all_gather", 5, 20, 140), 3, 8), (GlooMessages{14, 14}));
  EXPECT_EQ(gloo_messages(call("all_to_all", 0, 0, 0), 3, 8), (GlooMessages{7, 7}));
  EXPECT_EQ(gloo_messages(call("send_receive", 5, 20, 20), 3, 8), (GlooMessages{1, 1}));
  EXPECT_EQ(gloo_messages(call("send_receive", 0, 0, 0), 3, 8), (GlooMessages{0, 1}));
  EXPECT_EQ(gloo_messages(call("broadcast", 5, 20, 60), 0, 8), (GlooMessages{3, 1}));
  EXPECT_EQ(gloo_messages(call("barrier", 0, 0, 0), 0, 5), (GlooMessages{3, 3}));
  EXPECT_EQ(gloo_messages(call("all_reduce", 0, 0, 0), 0, 8), GlooMessages{}) << "nothing";
  EXPECT_EQ(gloo_messages(call("all_reduce", 9, 36, 0), 0, 1), GlooMessages{}) << "alone";
  EXPECT_THROW(gloo_messages(call("scan", 5, 20, 20), 0, 8), std::invalid_argument);
  auto of_sub_group = call("all_to_all", 8, 16, 16);
  of_sub_group.group_size = 2;
  EXPECT_EQ(gloo_messages(of_sub_group, 5, 8), (GlooMessages{1, 1}));
  of_sub_group.group_size = 0;
  EXPECT_EQ(gloo_messages(of_sub_group, 5, 8), GlooMessages{}) << "a rank outside of it";
}

TEST(GlooWire, AddsThreeHeadersForAMessageThatGoesEachWay) {
  IterationEvent event;
  event.buckets.resize(2);
  event.buckets[0].collectives = {call("all_gather", 5, 20, 140), call("all_to_all", 8, 28, 28)};
  event.buckets[1].collectives = {call("broadcast", 5, 20, 60)};
  EXPECT_EQ(gloo_stream_bytes(event, 8), 140 + 28 + 60 + 48 * (3 * 14 + 3 * 7 + 2 * 3 + 1));
}

TEST(GlooWire, BytesAgreeWithinOnePerCentAFrameAndWhatTheEndsOfACellMayMisplace) {
  WireBytes bytes{1'000'000, 1'000'000, 0, 1514, 1000};
  EXPECT_DOUBLE_EQ(bytes.tolerance(), 11'000);
  for (const auto& [counted, agree] :
       {std::pair{1'010'900.0, true}, {1'011'100, false}, {989'100, true}, {988'900, false}}) {
    bytes.counted = counted;
    EXPECT_EQ(bytes.agree(), agree) << counted;
  }
  bytes.counted = 1'015'000;
  bytes.resent = 5'000;
  EXPECT_TRUE(bytes.agree()) << "TCP sent some of them again";
  EXPECT_DOUBLE_EQ((WireBytes{0, 3000, 0, 1514, 1000}.tolerance()), 1517) << "a frame";
}

/// The result of a published cell, computed from its lines after `change` to each iteration.
CellResult summary_of(const std::filesystem::path& folder,
                      const std::function<void(IterationEvent&)>& change = {}) {
  Scenario scenario;
  scenario.workers = 8;
  const plan::Cell cell;
  CellRecord record{scenario, cell};
  for (const char* name : {"iterations.jsonl", "events.jsonl"}) {
    store::for_each_event((folder / name).string(), store::Broken::kRefuse,
                          [&](const Json& event, const std::string&, std::size_t) {
                            if (!change || event.at("event") != "iteration") {
                              record.add(event);
                              return;
                            }
                            auto changed = event.get<IterationEvent>();
                            change(changed);
                            record.add(to_json(changed));
                          });
  }
  return summarise(scenario, cell, record);
}

TEST(PublishedWire, CollectivesExplainTheBytesOfPublishedCells) {
  int cells = 0;
  int within_a_thousandth = 0;
  for (const char* name :
       {"wan100", "wan500", "wan1000", "wan100-rtt30", "methods", "methods-sites", "same-mean"}) {
    const store::RunPath run{name};
    for (const auto& entry : std::filesystem::directory_iterator{run.folder() + "/cells"}) {
      if (!entry.path().string().ends_with("-1")) continue;
      const auto result = summary_of(entry.path());
      const auto off =
          result.measured_bytes_per_iteration / result.explained_bytes_per_iteration.value() - 1;
      EXPECT_LT(std::abs(off), 0.005) << entry.path();
      ++cells;
      within_a_thousandth += std::abs(off) < 0.001 ? 1 : 0;
    }
  }
  EXPECT_EQ(cells, 75);
  EXPECT_EQ(within_a_thousandth, 69);
}

TEST(PublishedWire, ACellWhoseLinesAreWrongIsSuspect) {
  const store::RunPath run{"wan100"};
  const auto folder = std::filesystem::path{run.folder()} / "cells/topk-keep1%-100Mbps-1";
  const auto expect_suspect = [&](const char* what, const auto& change) {
    const auto verdict = summary_of(folder, change).link_verdict;
    EXPECT_EQ(verdict.word, "suspect") << what;
    EXPECT_THAT(verdict.reasons, Contains(HasSubstr("links counted"))) << what;
  };
  expect_suspect("a counter that is 2 % too high",
                 [](auto& event) { event.traffic.sent_bytes += event.traffic.sent_bytes / 50; });
  expect_suspect("frames are not counted", [](auto& event) { event.traffic.sent_packets /= 2; });
  expect_suspect("a collective that is not in the lines",
                 [](auto& event) { event.buckets.back().collectives.clear(); });
  expect_suspect("a collective that was never sent",
                 [](auto& event) { event.buckets.push_back(event.buckets.back()); });
}

}  // namespace
}  // namespace pacbench::record::gloo_wire_test
