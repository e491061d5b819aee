#include "harness/text/table.h"

#include <gtest/gtest.h>

namespace pacbench {
namespace {

Table example() {
  return {{{"", "method", true}, {"time", "ms"}, {"time", "a long head"}},
          {{"fp16", "1.5", "—"}, {"all-reduce", "12.0", "3"}}};
}

TEST(Table, AlignsWordsLeftAndNumbersRightUnderTheirGroup) {
  EXPECT_EQ(to_text(example()),
            "           │       time\n"
            "method     │   ms  a long head\n"
            "───────────┼──────────────────\n"
            "fp16       │  1.5            —\n"
            "all-reduce │ 12.0            3\n");
  EXPECT_EQ(width(example()), 30U) << "in columns, not bytes";
}

TEST(Table, WritesMarkdownWithGroupsInTheHeads) {
  EXPECT_EQ(to_markdown(example()),
            "| method | time: ms | time: a long head |\n"
            "| :-- | --: | --: |\n"
            "| fp16 | 1.5 | — |\n"
            "| all-reduce | 12.0 | 3 |\n");
  const Table bars{{{"", "a|b", true}}, {{"c||d"}}};
  EXPECT_EQ(to_markdown(bars), "| a\\|b |\n| :-- |\n| c\\|\\|d |\n");
}

TEST(Significant, KeepsThreeDigitsAndNeverAnExponent) {
  const std::pair<double, const char*> all[] = {
      {0.012345, "0.0123"}, {1.2345, "1.23"},   {12.345, "12.3"}, {9.996, "10.0"},
      {99.96, "100"},       {123456, "123456"}, {0, "0"},         {-1.5, "-1.50"}};
  for (const auto& [value, text] : all) EXPECT_EQ(significant(value), text);
}

}  // namespace
}  // namespace pacbench
