#include "probe/quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pacbench::probe {
namespace {

using ::testing::HasSubstr;

constexpr AnswerLimits kLimits{2, 2, 1000, 10};

/// Why the request is refused; empty when it is not.
std::string refusal(Quota& quota, const std::string& client, std::int64_t bytes,
                    double seconds = 1) {
  try {
    quota.grant(client, bytes, seconds);
    return "";
  } catch (const Refused& error) {
    return error.what();
  }
}

TEST(Quota, BoundsTheBytesOfAClientOverAllItsConnections) {
  Quota quota{kLimits};
  quota.grant("a", 600, 1).used(600);
  EXPECT_THAT(refusal(quota, "a", 401), HasSubstr("left of"));
  EXPECT_EQ(refusal(quota, "b", 1000), "") << "each client has its own";
  EXPECT_EQ(refusal(quota, "a", 400), "");
}

TEST(Quota, TakesBackWhatWasNotUsedButNothingOfAConnectionThatBrokeOff) {
  Quota quota{kLimits};
  quota.grant("a", 1000, 1).used(10);
  EXPECT_EQ(refusal(quota, "a", 990), "");
  quota.grant("b", 1000, 1);
  EXPECT_THAT(refusal(quota, "b", 1), HasSubstr("left of"));
}

TEST(Quota, BoundsConnectionsOfAClientAtATimeAndTheTimeOfEach) {
  Quota quota{kLimits};
  {
    const auto one = quota.grant("a", 1, 1);
    const auto two = quota.grant("a", 1, 1);
    EXPECT_THAT(refusal(quota, "a", 1), HasSubstr("2 connections"));
  }
  EXPECT_EQ(refusal(quota, "a", 1), "");
  EXPECT_THAT(refusal(quota, "a", 1, 11), HasSubstr("found 11 s"));
}

TEST(Quota, BoundsClientsAllInAll) {
  Quota quota{kLimits};
  EXPECT_EQ(refusal(quota, "a", 1), "");
  EXPECT_EQ(refusal(quota, "b", 1), "");
  EXPECT_THAT(refusal(quota, "c", 1), HasSubstr("served 2 clients"));
  EXPECT_EQ(refusal(quota, "a", 1), "");
}

}  // namespace
}  // namespace pacbench::probe
