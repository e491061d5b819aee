#include "contract/result/mask_overlap.h"

#include <gmock/gmock.h>
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

TEST(SampleOverlap, RefusesSamplesOfDifferentModels) {
  EXPECT_THAT([] { sample_overlap("ff", "f"); }, ::testing::ThrowsMessage<std::invalid_argument>(
                                                     ::testing::HasSubstr("found 2 and 1 digits")));
}

TEST(SampleOverlap, RefusesWhatIsNoSample) {
  EXPECT_THAT([] { sample_overlap("fx", "ff"); },
              ::testing::ThrowsMessage<std::invalid_argument>(
                  ::testing::HasSubstr("found 'x', expected hexadecimal digits")));
}

}  // namespace
}  // namespace pacbench
