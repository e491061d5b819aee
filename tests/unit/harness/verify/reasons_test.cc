// A verdict of an older run is compared by its numbers, since today's words may differ.
#include "harness/verify/numbers.h"

#include <gtest/gtest.h>

namespace pacbench::verify::reasons_test {
namespace {

Json with_reasons(const Json& reasons) {
  return {{"host_verdict", {{"word", "cpu-bound"}, {"reasons", reasons}}}, {"iterations", 3}};
}

TEST(Reasons, WithTheSameNumbersHaveTheRecordedWords) {
  const auto found = with_reasons({"slept 11.7 ms too long, 4 % of a step"});
  EXPECT_EQ(in_recorded_words(found, with_reasons({"woke up 11.7 ms late, 4 % of it"})), found);
  const auto other = with_reasons({"woke up 11.8 ms late, 4 % of it"});
  EXPECT_EQ(in_recorded_words(found, other), other);
  auto longer = found;
  longer["iterations"] = 4;
  EXPECT_EQ(in_recorded_words(longer, other), other) << "all other numbers are left alone";
}

TEST(Reasons, ThatOneSideLacksStayAsTheyAreExpected) {
  const auto expected = with_reasons({"the CPU was 5 % idle", "woke up 2 ms late"});
  EXPECT_EQ(in_recorded_words(with_reasons({"5 % of the CPU were idle"}), expected),
            with_reasons({"5 % of the CPU were idle", "woke up 2 ms late"}));
  EXPECT_EQ(in_recorded_words(Json::object(), expected), expected);
  EXPECT_EQ(in_recorded_words(with_reasons("no list"), expected), expected);
  EXPECT_EQ(in_recorded_words(with_reasons({7, "woke 2 ms"}), expected),
            with_reasons({"the CPU was 5 % idle", "woke 2 ms"}));
}

}  // namespace
}  // namespace pacbench::verify::reasons_test
