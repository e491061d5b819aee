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
  EXPECT_EQ(significant(0.012345), "0.0123");
  EXPECT_EQ(significant(1.2345), "1.23");
  EXPECT_EQ(significant(12.345), "12.3");
  EXPECT_EQ(significant(9.996), "10.0");
  EXPECT_EQ(significant(99.96), "100");
  EXPECT_EQ(significant(123456), "123456");
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(-1.5), "-1.50");
}

}  // namespace
}  // namespace pacbench
