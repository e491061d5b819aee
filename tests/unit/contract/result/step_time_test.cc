#include "contract/result/result.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "contract/result/mask_overlap.h"

namespace pacbench {
namespace {

TEST(SampleOverlap, IsWhatBothKeepOverWhatEitherKeeps) {
  EXPECT_DOUBLE_EQ(sample_overlap("f0", "30"), 0.5);
  EXPECT_DOUBLE_EQ(sample_overlap("a1", "a8"), 0.5);
  EXPECT_EQ(sample_overlap("0f", "f0"), 0);
  EXPECT_EQ(sample_overlap("9c", "9c"), 1);
  EXPECT_EQ(sample_overlap("00", "00"), 1);
}

TEST(SampleOverlap, RefusesSamplesOfDifferentModelsAndWhatIsNoSample) {
  EXPECT_THROW(sample_overlap("ff", "f"), std::invalid_argument);
  EXPECT_THROW(sample_overlap("fx", "ff"), std::invalid_argument);
}

TEST(StepTime, IsTheMedianStepUnlessThePeriodIsLonger) {
  CellResult cell;
  cell.iterations = 8;
  cell.time_per_iteration_s = 0.01;  // seven steps without an exchange, one with
  cell.training_s = 7 * 0.01 + 0.33;
  EXPECT_DOUBLE_EQ(mean_iteration_s(cell), 0.05);
  EXPECT_EQ(step_time_s(cell), 0.01);
  cell.period = 8;
  EXPECT_DOUBLE_EQ(step_time_s(cell), 0.05) << "a result of an earlier pacbench has no more";
  cell.period_step_s = 0.051;
  EXPECT_EQ(step_time_s(cell), 0.051);
}

TEST(MeanIteration, LeavesPruningOutAndIsZeroOfACellThatRanNone) {
  CellResult cell;
  EXPECT_EQ(mean_iteration_s(cell), 0);
  cell.iterations = 4;
  cell.training_s = 2.4;
  cell.pruning_s = 2;
  EXPECT_DOUBLE_EQ(mean_iteration_s(cell), 0.1);
}

}  // namespace
}  // namespace pacbench
