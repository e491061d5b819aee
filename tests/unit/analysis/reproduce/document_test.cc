#include <gmock/gmock.h>

#include <algorithm>

#include "analysis/reproduce/reproduction.h"
#include "tests/unit/analysis/reproduce/reproduced.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::reproduce::document_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<store::NamedResult> runs() {
  MadeRun learn;
  learn.mode = Mode::kLearn;
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

TEST(Markdown, HasEveryClaimOnOnePage) {
  const auto text = render_markdown(reproduced(runs()));
  EXPECT_THAT(text, HasSubstr("Of 28 claims"));
  for (const auto& each : pactrain().claims) EXPECT_THAT(text, HasSubstr("**" + each.id + "**"));
  for (const auto& each : pactrain().untestable) EXPECT_THAT(text, HasSubstr(each.why));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 150);
}

TEST(Markdown, ShowsTheFirstClaimsBeforeTheOthers) {
  const auto text = render_markdown(reproduced(runs()));
  const auto others = text.find("## The other claims");
  for (const auto& each : pactrain().claims) {
    EXPECT_EQ(text.find("**" + each.id + "**") < others, each.first) << each.id;
  }
}

TEST(Markdown, LinksTheEvidenceWhereItWasWritten) {
  EXPECT_THAT(render_markdown(reproduced(runs()), "there"), HasSubstr("](there/evidence.html)"));
  EXPECT_THAT(render_markdown(reproduced(runs())), Not(HasSubstr("evidence.html")));
}

TEST(OurOwnSettings, AreJudgedBesideThePapersAndNeverCalledReproduced) {
  MadeRun digits;
  digits.network = "mlp";
  digits.dataset = "digits";
  digits.topology = "star";
  digits.rates_mbit = {100};
  digits.seeds = {1, 2, 3};
  const auto found = reproduced(named({made_run(digits, figure_5())}));
  const auto& answer = claim(found, "tta-low");
  EXPECT_EQ(answer.finding, Finding::kNotTestable);
  ASSERT_TRUE(answer.here);
  EXPECT_EQ(arm(*answer.here, "pactrain-0.5").finding, Finding::kContradicted) << "as fast as FP16";
  const auto document = to_json(found);
  for (const auto& each : document.at("claims")) {
    EXPECT_THAT(each.at("here").dump(), Not(HasSubstr("\"reproduced\""))) << each.at("id");
  }
}

TEST(OurOwnSettings, AreJudgedFromThreeSeedsOn) {
  MadeRun digits;
  digits.network = "mlp";
  digits.dataset = "digits";
  digits.topology = "star";
  digits.rates_mbit = {100};
  const auto found = reproduced(named({made_run(digits, figure_5())}));
  const auto& here = *claim(found, "tta-low").here;
  EXPECT_EQ(here.finding, Finding::kNotTestable);
  EXPECT_EQ(words_of(here.arms.front().best().not_counted), "1 of 3 seeds");
}

TEST(OurOwnSettings, JoinWhatWasTunedForEachWorkloadToOneArm) {
  const auto run_of = [](const char* network, const char* dataset, MadeArm arm) {
    MadeRun run;
    run.network = network;
    run.dataset = dataset;
    run.topology = "star";
    run.rates_mbit = {100};
    run.seeds = {1, 2, 3};
    return made_run(run, {all_reduce(3.4), std::move(arm)});
  };
  const auto with_rate = [](double lr, Json tried) {
    auto arm = masked(1.8);
    arm.method["optimizer"] = {{"lr", lr}};
    if (!tried.is_null()) arm.method["tried"] = tried;
    return arm;
  };
  const auto arms_of = [&](const Json& tried) {
    const auto found = reproduced(named({run_of("mlp", "digits", with_rate(0.1, tried)),
                                         run_of("resnet20", "cifar10", with_rate(0.4, tried))}));
    return claim(found, "lossless-at-half").here->arms;
  };
  ASSERT_THAT(arms_of(12), SizeIs(1));
  EXPECT_EQ(arms_of(12)[0].measured, 2U);
  EXPECT_THAT(arms_of(nullptr), SizeIs(2)) << "two choices, and nobody says how they were made";
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
