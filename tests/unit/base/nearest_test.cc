#include "base/json/hints.h"

#include <gtest/gtest.h>

namespace pacbench {
namespace {

const std::vector<std::string> kCommands{"run", "recount", "report", "validate"};

TEST(Nearest, IsTheWordWithTheFewestLettersToChange) {
  EXPECT_EQ(nearest("recuont", kCommands), "recount");
  EXPECT_EQ(nearest("vlidat", kCommands), "validate");
  EXPECT_EQ(nearest("wan200", {"wan100", "wan500"}), "wan100") << "the first of those as near";
}

TEST(Nearest, IsNoneWhenMoreThanOneAndAThirdOfTheLettersWouldChange) {
  EXPECT_EQ(nearest("go", {"run"}), std::nullopt);
  EXPECT_EQ(nearest("x", {"y"}), "y");
  EXPECT_EQ(nearest("wan", {"w1234"}), std::nullopt);
  EXPECT_EQ(nearest("anything", {}), std::nullopt);
}

TEST(Nearest, OfWordsWithPartsHasThePartsThatAreMeant) {
  const std::vector<std::string> keys{"up_mbit", "down_mbit", "rate_mbit", "loss", "reorder"};
  EXPECT_EQ(nearest("down_loss", keys), std::nullopt);
  EXPECT_EQ(nearest("keep_order", keys), std::nullopt) << "reorder is its opposite";
  EXPECT_EQ(nearest("down_mbits", keys), "down_mbit");
  EXPECT_EQ(nearest("mbit_rate", {"rate_mbit"}), std::nullopt) << "too many letters move";
  EXPECT_EQ(nearest("batch_per_wrker", {"batch_per_worker", "max_iterations"}), "batch_per_worker");
  EXPECT_EQ(nearest("ratembit", keys), "rate_mbit");
}

}  // namespace
}  // namespace pacbench
