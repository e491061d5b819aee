// The parts of a Perfetto trace: its clock, its slices and the rates of links.
#include "analysis/export/timeline.h"
#include "tests/unit/analysis/export/example_folder.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::exports {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(TraceClock, KeepsTheTimesBetweenSteps) {
  TraceClock clock;
  clock.begin_cell();
  clock.follow(0, {500, 600});
  const auto first = clock.at(500);
  clock.follow(0, {700, 800});
  EXPECT_EQ(clock.at(700), first + 200);
}

TEST(TraceClock, PutsACellASecondAfterTheOneBefore) {
  TraceClock clock;
  clock.begin_cell();
  clock.follow(0, {500, 600});
  clock.follow(1, {505, 620});
  const auto end = clock.at(620);
  clock.begin_cell();
  clock.follow(0, {90'000, 91'000});
  EXPECT_EQ(clock.at(90'000), end + kSecond);
}

TEST(TraceClock, GoesOnAfterARestartOfTheMachine) {
  TraceClock clock;
  clock.begin_cell();
  clock.follow(0, {900'000, 900'100});
  clock.follow(1, {900'000, 900'150});
  const auto end = clock.at(900'150);
  clock.follow(0, {10, 20});
  clock.follow(1, {12, 22});
  EXPECT_EQ(clock.at(10), end + kSecond);
  EXPECT_EQ(clock.at(12), end + kSecond + 2);
}

TEST(TraceClock, HasRoomForARankThatBeganBeforeTheFirstLine) {
  TraceClock clock;
  clock.begin_cell();
  clock.follow(1, {1000, 2000});
  EXPECT_EQ(clock.at(900), kSecond - 100);
}

constexpr std::int64_t kMillisecond = 1'000'000;

/// "name from-to" of the slices of one track, in ms from the start of the step.
std::vector<std::string> track(const IterationEvent& event, int number) {
  std::vector<std::string> words;
  for (const auto& slice : iteration_slices(event)) {
    if (slice.track != number) continue;
    words.push_back(slice.name + " " +
                    std::to_string((slice.span.start_ns - event.step.start_ns) / kMillisecond) +
                    "-" + std::to_string((slice.span.end_ns - event.step.start_ns) / kMillisecond));
  }
  return words;
}

TEST(IterationSlices, ShowWhatTheTrainingThreadDoes) {
  EXPECT_THAT(track(example_iteration(0, 7), 0),
              ElementsAre("iteration 7 0-99", "forward 1-10", "backward 10-30", "wait 30-90",
                          "optimizer 90-95"));
}

TEST(IterationSlices, ShowEachBucketOnATrackOfItsOwn) {
  const auto event = example_iteration(0, 1);
  EXPECT_THAT(track(event, 1), ElementsAre("bucket 0 15-60", "encode 15-17", "queue 17-18",
                                           "all_reduce 18-55", "decode 55-60"));
  EXPECT_THAT(track(event, 2),
              ElementsAre("bucket 1 25-89", "encode 25-28", "queue 28-40", "all_reduce 40-65",
                          "decode, encode 65-66", "all_reduce 66-80", "decode 80-89"));
}

TEST(IterationSlices, NestEvenWhereTheRecordedTimesDoNot) {
  auto event = example_iteration(0, 1);
  event.buckets.resize(1);
  event.buckets[0].collectives[0].wire.end_ns = event.step.start_ns + 70 * kMillisecond;
  EXPECT_THAT(track(event, 1),
              ElementsAre("bucket 0 15-60", "encode 15-17", "queue 17-18", "all_reduce 18-60"));
  event.buckets[0].collectives.clear();
  EXPECT_THAT(track(event, 1), ElementsAre("bucket 0 15-60", "encode 15-60")) << "sends nothing";
}

TEST(Backlog, IsWhatCollectivesThatAreNotCompleteMakeARankSend) {
  const auto event = example_iteration(0, 1);
  std::vector<std::pair<std::int64_t, std::int64_t>> values;
  for (const auto& [at_ns, bytes] : backlog(event)) {
    values.emplace_back((at_ns - event.step.start_ns) / kMillisecond, bytes);
  }
  EXPECT_THAT(values, ElementsAre(std::pair{17, 8000}, std::pair{28, 12000}, std::pair{55, 4000},
                                  std::pair{65, 0}, std::pair{66, 200}, std::pair{80, 0}));
}

/// Two links: a chain of three switches, and a star whose rate follows a schedule. What worker 2
/// sends keeps one rate.
Json scenario() {
  auto scenario = report::example_run().scenario;
  scenario["network"]["links"] = Json::parse(R"([
      {"name": "chain", "topology": "chain3", "rate_mbit": 100.0, "edge_mbit": 1000.0},
      {"name": "moving", "overrides": [{"worker": 2, "up_mbit": 10.0}], "schedule": {"steps": [
        {"at_s": 0.0, "rate_mbit": 500.0}, {"at_s": 3.0, "rate_mbit": 50.0}]}}])");
  return scenario;
}

record::NetworkTrace stepped(const std::vector<std::pair<std::int64_t, double>>& steps) {
  record::NetworkTrace trace;
  for (const auto& [applied_ns, rate_mbit] : steps) {
    trace.add(EventKind::kStepped,
              record::NetworkTrace::stepped_event({0, applied_ns, applied_ns, rate_mbit}));
  }
  return trace;
}

TEST(LinkRates, AreThoseOfWorkersLinksAndOfTrunks) {
  const auto rates = link_rates("result.json", scenario(), "chain", {}, 77);
  EXPECT_EQ(rates.size(), 8U * 2 + 2 * 2);
  ASSERT_EQ(rates.at("trunk1.backward").size(), 1U);
  EXPECT_EQ(rates.at("trunk1.backward")[0].at_ns, 77);
  EXPECT_DOUBLE_EQ(rates.at("trunk1.backward")[0].rate_mbit, 100);
  EXPECT_DOUBLE_EQ(rates.at("worker7.up")[0].rate_mbit, 1000);
}

TEST(LinkRates, FollowTheStepsAsTheyWereTaken) {
  const auto trace = stepped({{50, 500}, {60, 200}, {900, 50}});
  const auto rates = link_rates("result.json", scenario(), "moving", trace, 100);
  const auto& changes = rates.at("worker0.up");
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].at_ns, 100);
  EXPECT_DOUBLE_EQ(changes[0].rate_mbit, 200);
  EXPECT_EQ(changes[1].at_ns, 900);
  EXPECT_DOUBLE_EQ(changes[1].rate_mbit, 50);
  ASSERT_EQ(rates.at("worker2.up").size(), 1U) << "it has a rate of its own";
  EXPECT_DOUBLE_EQ(rates.at("worker2.up")[0].rate_mbit, 10);
}

TEST(LinkRates, NameALinkThatTheScenarioLacks) {
  EXPECT_THAT(testing::refusal_words([] { link_rates("result.json", scenario(), "slow", {}, 0); }),
              HasSubstr("result.json: /scenario/network/links: found no link \"slow\""));
}

}  // namespace
}  // namespace pacbench::exports
