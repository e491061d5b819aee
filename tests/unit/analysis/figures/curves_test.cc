#include "analysis/figures/curves.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/files.h"
#include "harness/store/curve.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::figures {
namespace {

EvaluationEvent evaluation(std::int64_t iteration, double training_s, double accuracy) {
  return {iteration, training_s, accuracy, 0.5};
}

TEST(MedianCurve, HasMedianAndRangeOverTheSeeds) {
  const auto points = median_curve(
      {{evaluation(3, 1.0, 0.5)}, {evaluation(3, 2.0, 0.7)}, {evaluation(3, 4.0, 0.6)}});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].iteration, 3);
  EXPECT_DOUBLE_EQ(points[0].training_s.median, 2.0);
  EXPECT_DOUBLE_EQ(points[0].accuracy.median, 0.6);
  EXPECT_DOUBLE_EQ(points[0].accuracy.minimum, 0.5);
  EXPECT_DOUBLE_EQ(points[0].accuracy.maximum, 0.7);
}

TEST(MedianCurve, EndsWhereTheFirstSeedStopped) {
  const auto points =
      median_curve({{evaluation(3, 1, 0.5), evaluation(6, 2, 0.9)}, {evaluation(3, 1, 0.4)}});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].iteration, 3);
}

TEST(MedianCurve, LeavesOutWhatTellsALossAlone) {
  const EvaluationEvent of_loss{6, 2, std::nullopt, 0.5};
  EXPECT_EQ(median_curve({{evaluation(3, 1, 0.5), of_loss}}).size(), 1u);
  EXPECT_TRUE(median_curve({{of_loss}}).empty());
}

TEST(ReadCurve, OfACellWithoutAFileIsEmpty) {
  EXPECT_TRUE(store::read_curve("/nonexistent/cell").empty());
}

TEST(ReadCurve, NamesFileAndLineOfWhatIsNoEvaluation) {
  const TemporaryFolder folder;
  std::ofstream{folder.path() + "/curve.jsonl"} << to_json(evaluation(0, 0, 0.1)).dump() << '\n'
                                                << R"({"event":"evaluation"})" << '\n';
  EXPECT_THAT(testing::refusal_words([&] { store::read_curve(folder.path()); }),
              ::testing::HasSubstr("curve.jsonl:2: expected an evaluation"));
}

}  // namespace
}  // namespace pacbench::figures
