#include "contract/scenario/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/worker/worker_event.h"

namespace pacbench {
namespace {

using ::testing::ElementsAre;

TEST(Target, IsSaidInPercentOrAsALoss) {
  EXPECT_EQ(words_of({kAccuracy, 0.97}), "97 %");
  EXPECT_EQ(words_of({kLoss, 1.8}), "loss 1.8");
  EXPECT_EQ(short_name({kAccuracy, 0.5}), "0.5");
  EXPECT_EQ(short_name({kLoss, 0.5}), "loss-0.5");
}

TEST(Target, IsReachedByAnAccuracyAtOrAboveItOrByALossAtOrBelowIt) {
  EXPECT_TRUE(reaches({1, 0, 0.9, 3.0}, {kAccuracy, 0.9}));
  EXPECT_FALSE(reaches({1, 0, 0.899, 0.1}, {kAccuracy, 0.9}));
  EXPECT_FALSE(reaches({1, 0, std::nullopt, 0.1}, {kAccuracy, 0.01}));
  EXPECT_TRUE(reaches({1, 0, 0.1, 1.8}, {kLoss, 1.8}));
  EXPECT_FALSE(reaches({1, 0, 0.99, 1.801}, {kLoss, 1.8}));
  EXPECT_TRUE(reaches({1, 0, std::nullopt, 0.1}, {kLoss, 0.1}));
}

TEST(Targets, ReadBackInTheirOrder) {
  const std::vector<Target> targets{{kAccuracy, 0.4}, {kAccuracy, 0.5}, {kLoss, 2.0}, {kLoss, 1.8}};
  const Json document{{"targets", to_json(targets)}};
  EXPECT_EQ(document.dump(), R"({"targets":{"accuracy":[0.4,0.5],"loss":[2.0,1.8]}})");
  EXPECT_EQ(targets_of(document), targets);
  EXPECT_THAT(targets_of({{"targets", to_json(std::vector<Target>{})}}), ElementsAre());
}

}  // namespace
}  // namespace pacbench
