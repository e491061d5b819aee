#include "harness/record/cell_result.h"

#include <gmock/gmock.h>

#include "harness/record/verdicts.h"
#include "tests/unit/harness/example.h"

namespace pacbench::record::cell_summary_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kRate = 12.5e6;  // 100 Mbit/s
constexpr std::int64_t kMs = 1'000'000;

IterationEvent iteration(int rank, std::int64_t number, std::int64_t step_ms,
                         std::int64_t sent_bytes) {
  IterationEvent event;
  event.rank = rank;
  event.iteration = number;
  event.step = {number * 1000 * kMs, (number * 1000 + step_ms) * kMs};
  event.forward = {0, 2 * kMs};
  event.backward = {2 * kMs, 6 * kMs};
  event.exposed = {6 * kMs, 16 * kMs};
  event.training_s = static_cast<double>(number);
  event.expected_sent_bytes = 14480;
  event.traffic.sent_bytes = sent_bytes;
  event.traffic.received_bytes = 15000;
  event.traffic.retransmits = 1;
  BucketTrace bucket;
  bucket.collectives = {{"all_reduce", "float32", 1, 100, 50, 0, {0, 4 * kMs}},
                        {"all_reduce", "float32", 1, 100, 50, 5 * kMs, {5 * kMs, 10 * kMs}}};
  event.buckets = {bucket};
  return event;
}

CellRecord recorded() {
  CellRecord record{kRate};
  for (int rank = 0; rank < 2; ++rank) {
    record.add(to_json(ReadyEvent{rank, 10, {10}, 1, rank == 0, 0.5, 4, 1000 * (rank + 1)}));
    for (const std::int64_t i : {1, 2, 3, 4}) {
      record.add(to_json(iteration(rank, i, i == 1 ? 500 : 10 * i, 15140 + 2 * rank)));
    }
    record.add(to_json(DoneEvent{rank, 4, 4.0, 0.25, {}, 0.5, 5000}));
  }
  for (const auto& [i, accuracy] : {std::pair{0, 0.5}, {1, 0.85}, {2, 0.9}}) {
    record.add(to_json(EvaluationEvent{3 * i, 0.5 * i, accuracy, 0}));
  }
  return record;
}

CellResult summary(CellRecord record) {
  const auto scenario = fake_scenario();
  record.add(CellRecord::ended_event({CellStatus::kDone, ""}));
  return summarise(scenario, plan::plan(scenario).front(), record);
}

TEST(Summary, TakesTimesFromRankZeroWithoutTheFirstIterationAndBytesFromAll) {
  const auto result = summary(recorded());
  EXPECT_DOUBLE_EQ(result.time_per_iteration_s, 0.030);
  EXPECT_FALSE(result.time_per_iteration_low_s) << "of three steps";
  EXPECT_DOUBLE_EQ(result.compute_s, 0.006);
  EXPECT_DOUBLE_EQ(result.exposed_s, 0.010);
  EXPECT_DOUBLE_EQ(result.samples_per_s, 2 * 4 / 0.030);
  EXPECT_EQ(result.iterations, 4);
  EXPECT_DOUBLE_EQ(result.training_s, 4);
  EXPECT_DOUBLE_EQ(result.measured_bytes_per_iteration, 15141);
  EXPECT_DOUBLE_EQ(result.received_bytes_per_iteration, 15000);
  EXPECT_DOUBLE_EQ(result.expected_bytes_per_iteration, 15140);
  EXPECT_DOUBLE_EQ(result.payload_bytes_per_iteration, 200);
  EXPECT_EQ(result.collectives_per_iteration, 2);
  EXPECT_EQ(result.retransmits, 8);
  ASSERT_EQ(result.targets.size(), 2u);
  EXPECT_EQ(result.targets[0].iterations, 3);
  EXPECT_FALSE(result.targets[1].tta_s) << "not reached";
  EXPECT_DOUBLE_EQ(result.final_accuracy.value(), 0.9);
  EXPECT_FALSE(result.real_time) << "rank 1 has none";
  EXPECT_EQ(result.peak_resident_bytes, 5000);
  EXPECT_DOUBLE_EQ(result.kept_fraction, 0.5);
  EXPECT_FALSE(result.dense_share) << "no method spoke of masks";
  EXPECT_FALSE(result.trunk_bytes_per_iteration) << "a star has none";
}

TEST(Summary, CountsEncodingOutsideABucketsCollectivesAndTheirWaitAndTheWireOnce) {
  auto event = iteration(0, 1, 100, 0);
  // Collectives are on the wire in [0, 4], [5, 10] and [6, 12], which is 11 ms in all. The first
  // exchange lasts from 0 to 12, the second from 3 to 14.
  event.buckets.front().exchange = {0, 12 * kMs};
  event.buckets.push_back({1, 1, {3 * kMs, 14 * kMs}, {}, Json::object()});
  event.buckets.back().collectives = {
      {"all_reduce", "float32", 1, 1, 1, 5 * kMs, {6 * kMs, 12 * kMs}}};  // handed over at 5
  CellRecord record{kRate};
  record.add(to_json(event));
  const auto result = summary(record);
  EXPECT_DOUBLE_EQ(result.encode_s, 0.003 + 0.004);
  EXPECT_DOUBLE_EQ(result.wire_s, 0.011);
  EXPECT_DOUBLE_EQ(result.overlap.value(), 1 - 10.0 / 11) << "10 ms were exposed";
}

TEST(Summary, HoldsTheBytesOfAStepAgainstItsOwnTimeOnTheWireIfThereWasAny) {
  CellRecord record{kRate};
  // Every step is on the wire for 9 ms; one step sends ten times as many bytes as the others.
  for (const std::int64_t i : {1, 2, 3, 4}) {
    record.add(to_json(iteration(0, i, 100, i == 3 ? 1'125'000 : 112'500)));
  }
  EXPECT_DOUBLE_EQ(summary(record).wire_mbit.value(), 100);
  auto event = iteration(0, 1, 100, 1000);
  event.buckets.clear();
  CellRecord silent{kRate};
  silent.add(to_json(event));
  EXPECT_FALSE(summary(silent).wire_mbit);
  EXPECT_FALSE(summary(silent).overlap);
}

TEST(Summary, SaysWhenCompactionBeganAndHowMuchWasDense) {
  CellRecord record{kRate};
  record.add(to_json(PrunedEvent{0, 0.1, 0.1, 0.5, "0f"}));
  for (const auto& [number, stable] : {std::pair{1, false}, {2, true}, {3, false}, {4, true}}) {
    auto event = iteration(0, number, 100, 0);
    event.buckets.front().notes = {{"stable", stable}};
    record.add(to_json(event));
  }
  const auto result = summary(record);
  EXPECT_EQ(result.compacted_from, 2);
  EXPECT_EQ(result.dense_share, 0.5);
  EXPECT_EQ(result.mask_sample, "0f");
}

TEST(Summary, TakesMediansOfGradientSamplesAndTheLastResidual) {
  CellRecord record{kRate};
  const auto empty = summary(record);
  EXPECT_FALSE(empty.vnmse);
  EXPECT_EQ(empty.iterations, 0);
  EXPECT_DOUBLE_EQ(empty.time_per_iteration_s, 0);
  EXPECT_EQ(empty.link_verdict.word, "ok");
  for (const double error : {0.3, 0.1, 0.2}) {
    record.add(
        to_json(QualityEvent{1, error, 1 - error, 1, error / 2, 10 * error, {{"layer", error}}}));
  }
  const auto result = summary(record);
  EXPECT_DOUBLE_EQ(result.vnmse.value(), 0.2);
  EXPECT_DOUBLE_EQ(result.cosine.value(), 0.8);
  EXPECT_DOUBLE_EQ(result.density.value(), 0.1);
  EXPECT_DOUBLE_EQ(result.residual_norm.value(), 2);
}

TEST(Summary, TakesTheDelayAndTheRateOfLinksOutOfTheSchedulingFloor) {
  const auto scenario = fake_scenario();
  auto cell = plan::plan(scenario).front();
  ReadyEvent ready{0, 10, {10}, 1, true, 50, 0, 1000};
  const auto floor_ms = [&] {
    CellRecord record{kRate};
    record.add(to_json(ready));
    return summarise(scenario, cell, record).scheduling_floor_ms;
  };
  EXPECT_DOUBLE_EQ(floor_ms(), 50);
  // Two workers have two hops, and each hop is a round trip over both links.
  cell.link.impairment.delay_ms = 5;
  EXPECT_DOUBLE_EQ(floor_ms(), 50 - 2 * 20);
  cell.link.impairment.delay_ms = 7;
  EXPECT_DOUBLE_EQ(floor_ms(), 0);
  cell.link.impairment.delay_ms = 0;
  cell.link.up_mbit = cell.link.down_mbit = 0.1;
  EXPECT_DOUBLE_EQ(floor_ms(), 50) << "an earlier pacbench sent 4 KiB";
  // Two hops, each over two links, of 3 × 114 + 2 bytes: 27.52 ms on a link.
  ready.floor_bytes = 4;
  EXPECT_DOUBLE_EQ(floor_ms(), 0);
  ready.scheduling_floor_ms = 120;
  EXPECT_NEAR(floor_ms(), 120 - 4 * 27.52, 1e-9);
}

TEST(Summary, CountsWhatALinkBetweenSwitchesCarried) {
  auto document = fake_scenario_json();
  document["network"]["topology"] = "groups";
  document["network"]["groups"] = {1, 1};
  const auto scenario = scenario_from_json("sites", document, fake_catalogue());
  auto record = recorded();
  record.add(CellRecord::counters_event({{{"worker0.up", 9000, 1, 0},
                                          {"trunk0.forward", 1000, 1, 0},
                                          {"trunk0.backward", 400, 1, 0},
                                          {"trunk1.forward", 400, 1, 0},
                                          {"trunk1.backward", 1000, 1, 0}},
                                         {0, 0},
                                         {}}));
  const auto result = summarise(scenario, plan::plan(scenario).front(), record);
  EXPECT_EQ(result.trunk_bytes_per_iteration, (1000 + 400) / 4.0) << "of four iterations";
  EXPECT_EQ(result.status, CellStatus::kInterrupted) << "its end is not in the record";
}

/// Else 64 ranks and a million iterations would take a gigabyte.
TEST(CellRecord, JoinsTheTimesOfIterationsWhereNoOtherTrafficIsToldApart) {
  const auto scenario = fake_scenario();
  plan::Cell cell;
  cell.link = scenario.network.links.front();
  CellRecord record{scenario, cell};
  for (int i = 1; i <= 1000; ++i) record.add(to_json(iteration(0, i, 10, 0)));
  EXPECT_EQ(record.counted().at(0).size(), 1u);
  EXPECT_EQ(record.counted().at(0).front().end_ns, 1'000'010'000'000);
}

TEST(Verdict, LinkIsSuspectWithDropsDeviationsOrTooManyBytes) {
  CellRecord record{kRate};
  EXPECT_EQ(link_verdict(record, {0, 0}).word, "ok");
  record.add(CellRecord::counters_event({{{"worker0.up", 1, 1, 7}}, {0}, {"worker0.up: rate 1"}}));
  auto first = iteration(0, 1, 100, 2'000'000);
  first.training_s = 0.1;  // nothing was on the clock before the step
  record.add(to_json(first));
  const auto verdict = link_verdict(record, {7, 2});
  EXPECT_EQ(verdict.word, "suspect");
  EXPECT_THAT(verdict.reasons, ElementsAre(HasSubstr("rate 1"), HasSubstr("dropped 7 packets"),
                                           HasSubstr("iteration 1 of rank 0")));
}

TEST(Verdict, LinkIsSuspectWhenAProgramAndNotWhenPacbenchsWorkersSendPastIt) {
  CellRecord record{kRate};
  netd::CountersReply counters{{{"worker0.up", 9'800'000, 7'000, 0}}, {0}, {}};
  counters.control_bytes = {200'000};
  record.add(CellRecord::counters_event(counters));
  EXPECT_EQ(link_verdict(record, {}).word, "ok");
  EXPECT_THAT(link_verdict(record, {}, {}, true).reasons, ElementsAre(HasSubstr("2.0 %")));
}

TEST(Verdict, LinkIsSuspectWhenWhatTcpSentAgainForNothingCostsAHundredthOfTheTime) {
  const CellRecord record{kRate};
  // Numbers once measured over a chain of switches: 1.14 million segments, and 120 drops of packets
  // of up to 6 segments. They cost 0.16 % of the time.
  EXPECT_EQ(link_verdict(record, {120, 2'573, 1'140'000, 6}).word, "ok");
  const auto verdict = link_verdict(record, {120, 2'573, 114'000, 6});
  EXPECT_EQ(verdict.word, "suspect");
  EXPECT_THAT(verdict.reasons, ElementsAre(HasSubstr("1853 segments again that no queue")));
  EXPECT_EQ(link_verdict(record, {120, 720, 10'000, 6}).word, "ok") << "all were dropped";
  EXPECT_EQ(link_verdict(record, {120, 2'573, 114'000, 6, 200}).word, "ok")
      << "queues between switches dropped more";
  EXPECT_EQ(link_verdict(record, {0, 20, 1'000, 6}).word, "ok") << "too few to say";
  EXPECT_EQ(link_verdict(record, {0, 5'000, 0, 6}).word, "ok") << "the scenario loses packets";
  EXPECT_EQ(link_verdict(record, {14, 7}).word, "ok") << "as many drops were acknowledgements";
  EXPECT_EQ(link_verdict(record, {15, 7}).word, "suspect");
}

TEST(Verdict, HostIsCpuBoundWhenBusyMostOfTheTimeOrWhenSchedulingOutweighsTheWire) {
  CellRecord record{kRate};
  for (const double idle : {0.01, 0.02, 0.5}) record.add(CellRecord::host_event({idle, 0.1, 0.5}));
  EXPECT_EQ(host_verdict(record, 0.1, {}).word, "cpu-bound");
  for (const double idle : {0.5, 0.5}) record.add(CellRecord::host_event({idle, 0.1, 0.5}));
  EXPECT_EQ(host_verdict(record, 0.1, {}).word, "ok");
  const auto other = recorded();  // buckets of 10 ms
  EXPECT_EQ(host_verdict(other, 1.9, {}).word, "ok");
  EXPECT_EQ(host_verdict(other, 2.1, {}).word, "cpu-bound");
  EXPECT_THAT(host_verdict(other, 2.1, {}).reasons.front(), Not(HasSubstr("MPS")));
  EXPECT_THAT(host_verdict(other, 2.1, {}, /*gpus_shared=*/true).reasons.front(), HasSubstr("MPS"));
}

TEST(Record, RefusesWhatIsNoEventAndLinesOfARankThatTheScenarioDoesNotHave) {
  const auto scenario = fake_scenario();
  CellRecord record{scenario, plan::plan(scenario).front()};
  for (const auto& line : {Json{{"event", "party"}}, Json{{"event", "done"}}, Json::array(),
                           to_json(iteration(-1, 1, 10, 0)), to_json(iteration(2, 1, 10, 0)),
                           to_json(DoneEvent{-1, 4, 4.0, 0.25, {}, 0.5, 5000}),
                           to_json(DoneEvent{2, 4, 4.0, 0.25, {}, 0.5, 5000})}) {
    EXPECT_THROW(record.add(line), ProtocolError) << line;
  }
  record.add(to_json(iteration(1, 1, 10, 0)));
  EXPECT_EQ(record.totals().events, 1);
}

}  // namespace
}  // namespace pacbench::record::cell_summary_test
