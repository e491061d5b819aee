#include "analysis/export/iteration_slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/export/example_folder.h"

namespace pacbench::exports {
namespace {

using ::testing::ElementsAre;

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

}  // namespace
}  // namespace pacbench::exports
