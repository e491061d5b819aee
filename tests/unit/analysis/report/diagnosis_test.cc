#include "analysis/report/build.h"
#include "analysis/report/words.h"

#include "tests/unit/contract/matchers.h"

namespace pacbench::report {
namespace {

statistics::CensoredSpread reached(double value) { return {value, value, value, 1, 1}; }
statistics::CensoredSpread never() { return {{}, {}, {}, 0, 1}; }
statistics::Spread just(double value) { return {value, value, value}; }

/// A method that reaches its target after some steps, which have 90 ms on the wire.
ReportRow row(const std::string& method, double step_s = 0.1, double iterations = 50) {
  ReportRow row;
  row.label = method;
  row.method = method;
  row.seeds = {1};
  row.done = 1;
  TargetSummary target;
  target.target.value = 0.95;
  target.tta_s = reached(step_s * iterations);
  target.iterations = reached(iterations);
  target.beyond_s = reached(0);
  row.targets = {target};
  row.time_per_iteration_s = just(step_s);
  row.encode_s = just(0.001);
  row.wire_s = just(0.090);
  row.link_use = just(0.98);
  row.best_accuracy = just(0.975);
  row.payload_bytes_per_iteration = just(1e6);
  row.expected_bytes_per_iteration = just(1.83e6);
  return row;
}

std::optional<Diagnosis> diagnosis(const ReportRow& row,
                                   const ReportRow& base = report::row("fp16")) {
  std::vector<ReportRow> rows{base, row};
  add_diagnoses(rows, 8);
  return rows.back().diagnosis;
}

std::string causes(const ReportRow& row) {
  const auto found = diagnosis(row);
  if (!found) return "does not lose";
  std::string kinds;
  for (const auto& cause : found->causes) kinds += (kinds.empty() ? "" : " ") + cause.kind;
  return kinds;
}

TEST(Diagnosis, SaysNothingOfAMethodThatIsFirstOrAsFast) {
  EXPECT_EQ(causes(row("topk")), "does not lose");
  EXPECT_EQ(causes(row("topk", 0.05)), "does not lose");
}

TEST(Diagnosis, HoldsAMethodAgainstTheBaselineThatWasThereFirst) {
  std::vector<ReportRow> rows{row("all-reduce", 0.2), row("fp16"), row("topk", 0.15)};
  add_diagnoses(rows, 8);
  EXPECT_EQ(rows[2].diagnosis->against, "fp16");
  EXPECT_NEAR(*rows[2].diagnosis->tta_ratio, 1.5, 1e-9);
  EXPECT_FALSE(rows[0].diagnosis) << "all-reduce is what others are held against";
  std::swap(rows[0].targets, rows[1].targets);
  add_diagnoses(rows, 8);
  EXPECT_EQ(rows[2].diagnosis->against, "all-reduce");
}

TEST(Diagnosis, LooksAtTheHighestTargetThatABaselineReached) {
  auto base = row("fp16");
  auto slow = row("topk", 0.15);
  base.targets.push_back(base.targets[0]);
  base.targets[1].target.value = 0.99;
  base.targets[1].tta_s = never();
  slow.targets.push_back(base.targets[1]);
  EXPECT_EQ(diagnosis(slow, base)->target.value, 0.95);
  base.targets[1].tta_s = reached(9);
  EXPECT_EQ(diagnosis(slow, base)->target.value, 0.99);
  EXPECT_FALSE(diagnosis(slow, base)->tta_ratio);
}

TEST(Diagnosis, SaysNothingOfCellsThatNoSpeedUpIsShownFor) {
  auto slow = row("topk", 0.15);
  slow.suspect = true;
  EXPECT_EQ(causes(slow), "does not lose");
  slow.suspect = false;
  slow.failed = 1;
  EXPECT_EQ(causes(slow), "does not lose");
}

TEST(Diagnosis, FindsEncodingThatCostsMoreThanItSaves) {
  auto slow = row("topk", 0.11);
  slow.wire_s = just(0.070);
  slow.encode_s = just(0.041);
  EXPECT_EQ(causes(slow), "cpu-bound");
  EXPECT_THAT(diagnosis(slow)->causes[0].words,
              AllOf(HasSubstr("40.0 ms an iteration more"), HasSubstr("20.0 ms less")));
  slow.encode_s = just(0.019);
  EXPECT_EQ(causes(slow), "") << "the wire saves more";
  slow.wire_s = just(0.090);
  slow.encode_s = just(0.005);
  EXPECT_EQ(causes(slow), "") << "4 ms of 100 are not why";
  slow.cpu_bound = true;
  EXPECT_EQ(causes(slow), "cpu-bound");
}

TEST(Diagnosis, FindsAllGathersThatFillTheLink) {
  auto slow = row("topk", 0.15);
  slow.wire_s = just(0.140);
  slow.payload_bytes_per_iteration = just(0.25e6);
  EXPECT_EQ(causes(slow), "all-gather");
  EXPECT_THAT(diagnosis(slow)->causes[0].words, HasSubstr("all 7 others"));
  slow.expected_bytes_per_iteration = just(0.46e6);
  EXPECT_EQ(causes(slow), "") << "no more than a ring sends";
}

TEST(Diagnosis, FindsMoreBytesThanTheBaselineSends) {
  auto slow = row("pactrain", 0.15);
  slow.wire_s = just(0.140);
  slow.payload_bytes_per_iteration = just(1.6e6);
  slow.expected_bytes_per_iteration = just(2.75e6);
  EXPECT_EQ(causes(slow), "more-bytes");
  EXPECT_THAT(diagnosis(slow)->causes[0].words, HasSubstr("2.75 MB in an iteration, and fp16"));
  slow.wire_s = just(0.093);
  EXPECT_EQ(causes(slow), "") << "the wire is not why its step takes longer";
}

TEST(Diagnosis, FindsALinkThatItsBytesCouldHaveFilled) {
  auto slow = row("fp16-direct", 0.18);
  slow.method = "fp16";
  slow.wire_s = just(0.170);
  slow.link_use = just(0.52);
  EXPECT_EQ(causes(slow), "low-utilisation");
  EXPECT_THAT(diagnosis(slow)->causes[0].words,
              AllOf(HasSubstr("its bytes need 52.0 %"), HasSubstr("baseline's bytes 98.0 %")));
  slow.link_use = just(0.93);
  EXPECT_EQ(causes(slow), "");
}

TEST(Diagnosis, DoubtsALossThatOtherSeedsDoNotShare) {
  auto slow = row("topk", 0.103);
  slow.targets[0].speed_up_fp16 = SpeedUp{0.97, {0.9, 1.02}, std::nullopt};
  EXPECT_EQ(causes(slow), "") << "one seed has no spread";
  auto base = row("fp16");
  base.seeds = slow.seeds = {1, 2, 3};
  EXPECT_EQ(diagnosis(slow, base)->causes.at(0).kind, "within-spread");
  EXPECT_THAT(diagnosis_words(*diagnosis(slow, base)),
              HasSubstr("between 0.900 and 1.02 (range over the seeds)"));
  slow.targets[0].speed_up_fp16->interval = SpeedUpEnds{0.95, 0.99};
  EXPECT_TRUE(diagnosis(slow, base)->causes.empty()) << "the interval goes before the range";
}

TEST(Diagnosis, FindsCollectivesThatWaitMoreThanTheySend) {
  auto slow = row("powersgd", 0.11);
  slow.link_use = just(0.3);
  EXPECT_EQ(causes(slow), "latency-bound");
  slow.link_use = just(0.6);
  EXPECT_EQ(causes(slow), "");
  slow.link_use.reset();
  EXPECT_EQ(causes(slow), "") << "of a rate that moves nothing can be said";
}

TEST(Diagnosis, FindsMoreIterationsEvenWithFasterSteps) {
  auto slow = row("pactrain", 0.05, 120);
  slow.link_use = just(0.3);
  EXPECT_EQ(causes(slow), "more-iterations") << "its steps are no reason";
  EXPECT_EQ(diagnosis_words(*diagnosis(slow)),
            "1.20 times the TTA of fp16 to 95 % (0.500 × the time per iteration, 2.40 × the "
            "iterations); more-iterations: it needs 120 iterations, and fp16 needs 50");
}

TEST(Diagnosis, NamesATargetThatIsNeverReached) {
  auto lost = row("topk");
  lost.targets[0].tta_s = lost.targets[0].iterations = lost.targets[0].beyond_s = never();
  lost.best_accuracy = just(0.93);
  EXPECT_EQ(
      diagnosis_words(*diagnosis(lost)),
      "DNF at 95 %, which fp16 reaches (1.00 × the time per iteration); more-iterations: "
      "half or more of its seeds never reach the target (best accuracy 93.00 %, fp16 97.50 %)");
}

TEST(Diagnosis, FindsMasksThatDoNotSettle) {
  auto slow = row("pactrain", 0.12);
  slow.dense_share = just(0.4);
  EXPECT_EQ(causes(slow), "unstable-mask");
  slow.dense_share = just(0.1);
  EXPECT_EQ(causes(slow), "");
}

TEST(Diagnosis, FindsTimeBeyondTheSteps) {
  auto slow = row("pactrain");
  slow.targets[0].tta_s = reached(6);
  slow.targets[0].beyond_s = reached(1);
  EXPECT_EQ(causes(slow), "beyond-steps");
}

TEST(Diagnosis, SaysSoWhenNoRuleHasACause) {
  EXPECT_THAT(diagnosis_words(*diagnosis(row("topk", 0.12))), HasSubstr("no rule finds a cause"));
}

}  // namespace
}  // namespace pacbench::report
