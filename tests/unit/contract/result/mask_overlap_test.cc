#include "contract/result/mask_overlap.h"

#include <gtest/gtest.h>

#include <stdexcept>

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

}  // namespace
}  // namespace pacbench
