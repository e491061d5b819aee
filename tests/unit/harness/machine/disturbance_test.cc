#include "harness/machine/disturbance.h"

#include <gmock/gmock.h>

namespace pacbench::disturbance_test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kMs = 1'000'000;

Json metering() {
  return Json::parse(R"({"event": "metering", "real_time": true, "cpus": [0, 1], "from_ns": 0,
                         "stolen_ns": [[0, 0], [1, 0]]})");
}

/// A line of a meter until `until_ms`: each late CPU as {cpu, from, to, lost} in ms.
Json metered(std::int64_t until_ms, std::vector<std::array<std::int64_t, 4>> late,
             std::int64_t stolen_ms = 0) {
  auto lates = Json::array();
  for (const auto& [cpu, from, to, lost] : late) {
    lates.push_back({cpu, from * kMs, to * kMs, lost * kMs});
  }
  return {{"event", "metered"},
          {"until_ns", until_ms * kMs},
          {"late", lates},
          {"stolen_ns", {{0, stolen_ms * kMs}, {1, stolen_ms * kMs}}}};
}

MachineTrace traced(const std::vector<Json>& lines, std::int64_t until_ms) {
  MeterLines meter;
  for (const auto& line : lines) meter.take(line);
  return meter.between(0, until_ms * kMs);
}

TEST(MeterLines, JoinLateCpusWhoseTimesOverlap) {
  const auto trace = traced(
      {metering(), metered(200, {{0, 10, 50, 36}, {1, 40, 70, 27}, {0, 100, 120, 17}})}, 200);
  ASSERT_THAT(trace.disturbances, SizeIs(2));
  EXPECT_EQ(trace.disturbances[0].from_ns, 10 * kMs);
  EXPECT_EQ(trace.disturbances[0].to_ns, 70 * kMs);
  EXPECT_NEAR(trace.disturbances[0].lost_s, 0.063, 1e-9);
  EXPECT_NEAR(trace.taken_share(), 0.080 / 0.400, 1e-9) << "80 of 400 ms of two CPUs";
  EXPECT_TRUE(is_disturbed(trace, 69 * kMs, 80 * kMs));
  EXPECT_FALSE(is_disturbed(trace, 71 * kMs, 99 * kMs));
}

TEST(MeterLines, CallItAStopOfTheMachineOnlyWhereAllCpusWereLateAndAsMuchWasStolen) {
  const std::vector<std::array<std::int64_t, 4>> both{{0, 10, 60, 45}, {1, 12, 61, 46}};
  const auto stopped = traced({metering(), metered(200, both, 50)}, 200);
  ASSERT_THAT(stopped.disturbances, SizeIs(1));
  EXPECT_NEAR(stopped.disturbances[0].stopped_s, 0.045, 1e-9) << "from 15 to 60 ms";
  const auto not_stolen = traced({metering(), metered(200, both, 20)}, 200);
  EXPECT_EQ(not_stolen.disturbances[0].stopped_s, 0) << "a program of a higher class, say";
  const auto one = traced({metering(), metered(200, {{0, 10, 60, 45}}, 50)}, 200);
  EXPECT_EQ(one.disturbances[0].stopped_s, 0) << "the other CPU went on";
}

TEST(MeterLines, CountOtherProgramsOnceAndOnlyBeyondATwentieth) {
  const auto quiet = traced({metering(), metered(200, {})}, 200);
  EXPECT_TRUE(quiet.watched);
  EXPECT_THAT(quiet.disturbances, IsEmpty());
  EXPECT_DOUBLE_EQ(quiet.taken_share(), 0);
  auto few = metered(1000, {});
  few["others_ns"] = 90 * kMs;
  EXPECT_THAT(traced({metering(), few}, 1000).disturbances, IsEmpty()) << "4.5 % of two CPUs";
  auto many = metered(1000, {});
  many["others_ns"] = 900 * kMs;
  const auto busy = traced({metering(), many}, 1000);
  ASSERT_THAT(busy.disturbances, SizeIs(1));
  EXPECT_EQ(busy.disturbances[0].by, TakenBy::kOthers);
  EXPECT_NEAR(busy.taken_share(), 0.45, 1e-9);
  // What a program of a higher class used is what threads lost to it.
  auto hog = metered(1000, {{0, 100, 600, 495}, {1, 100, 500, 395}});
  hog["others_ns"] = 900 * kMs;
  const auto hogged = traced({metering(), hog}, 1000);
  ASSERT_THAT(hogged.disturbances, SizeIs(1));
  EXPECT_EQ(hogged.disturbances[0].by, TakenBy::kUnseen);
  EXPECT_NEAR(hogged.taken_share(), 0.45, 0.01);
}

TEST(MeterLines, NoteWhatAQuotaWithheld) {
  MeterLines meter;
  meter.take(metering(), 5 * kMs);
  meter.take(metered(200, {}), 65 * kMs);
  const auto trace = meter.between(0, 200 * kMs);
  ASSERT_THAT(trace.disturbances, SizeIs(1));
  EXPECT_EQ(trace.disturbances[0].by, TakenBy::kThrottled);
  EXPECT_NEAR(trace.taken_share(), 0.06 / 0.4, 1e-9);
}

TEST(MeterLines, ForgetWhatIsOverAndKeepTheRest) {
  MeterLines meter;
  meter.take(metering());
  meter.take(metered(200, {{0, 10, 60, 45}}));
  meter.take(metered(400, {{0, 300, 350, 45}}));
  meter.forget_before(250 * kMs);
  EXPECT_THAT(meter.between(0, 400 * kMs).disturbances, SizeIs(1));
  EXPECT_EQ(meter.until_ns(), 400 * kMs);
}

TEST(MachineTrace, IsTheSameAfterItWasWrittenAndRead) {
  const auto trace =
      traced({metering(), metered(200, {{0, 10, 60, 45}, {1, 12, 61, 46}}, 50)}, 200);
  EXPECT_EQ(Json(Json(trace).get<MachineTrace>()), Json(trace));
  EXPECT_THAT(part_of(trace, 100 * kMs, 200 * kMs).disturbances, IsEmpty());
  EXPECT_NEAR(part_of(trace, 0, 100 * kMs).stolen_s, 0.05, 1e-9) << "half of 0.1 s";
}

}  // namespace
}  // namespace pacbench::disturbance_test
