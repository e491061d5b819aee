#include <gmock/gmock.h>

#include "harness/reproduce/reproduction.h"
#include "tests/unit/harness/reproduce/reproduced.h"
#include "tests/unit/spec/schema_check.h"

namespace pacbench::reproduce::document_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<report::NamedResult> runs() {
  MadeRun learn;
  learn.mode = "learn";
  learn.network = "resnet20";
  return named({made_run({}, {all_reduce(3.4), fp16(1.8), masked(1.8), masked_ternary(0.6)}),
                made_run(learn, {all_reduce(1), in_iterations(std::nullopt, masked(1))})});
}

TEST(Json, AgreesWithItsSchema) {
  EXPECT_EQ(testing::first_schema_error(reproduction_schema(), to_json(reproduced(runs()))), "");
}

TEST(Json, HasNoNumberForARatioWithoutEnd) {
  const auto found = reproduced(named({made_run(
      {}, {in_iterations(std::nullopt, all_reduce(3.4)), masked(1.8), masked_ternary(0.6)})}));
  const auto document = to_json(found);
  EXPECT_EQ(testing::first_schema_error(reproduction_schema(), document), "");
  for (const auto& claim : document.at("claims")) {
    if (claim.at("id") != "resnet152-all-reduce") continue;
    EXPECT_TRUE(claim.at("arms")[0].at("evidence")[0].at("value").is_null());
  }
}

TEST(Markdown, BeginsWithCountsAndHasEveryClaim) {
  const auto text = render_markdown(reproduced(runs()));
  EXPECT_THAT(text, HasSubstr("19 claims: **"));
  for (const auto& claim : paper_claims()) {
    EXPECT_THAT(text, HasSubstr("](#" + claim.id + ")")) << "in the summary";
    EXPECT_THAT(text, HasSubstr("\n### " + claim.id + "\n")) << "what the summary points to";
  }
  for (const auto& claim : untestable_claims()) EXPECT_THAT(text, HasSubstr(claim.why));
}

TEST(Markdown, IsTheSameEachTime) {
  EXPECT_EQ(render_markdown(reproduced(runs())), render_markdown(reproduced(runs())));
}

TEST(Markdown, LeavesNoMarkupOfNames) {
  MadeRun run;
  auto arm = masked(1.8);
  arm.method["label"] = "<b>|x*";
  const auto text = render_markdown(reproduced(named({made_run(run, {all_reduce(3.4), arm})})));
  EXPECT_THAT(text, Not(HasSubstr("<b>")));
  EXPECT_THAT(text, HasSubstr("\\<b\\>\\|x\\*"));
}

}  // namespace
}  // namespace pacbench::reproduce::document_test
