#include "analysis/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "tests/unit/analysis/compare/example_runs.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::compare {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Comparison compare_sides(const ExampleSide& base, const ExampleSide& next,
                         const CompareOptions& options = {}) {
  const auto base_runs = read_side(base.path());
  const auto next_runs = read_side(next.path());
  EXPECT_FALSE(first_mismatch(base_runs, next_runs));
  return compare(base_runs, next_runs, options);
}

Comparison compare_with(const Edit& edit, int runs = 10) {
  return compare_sides(ExampleSide{runs}, ExampleSide{runs, edit, 3});
}

std::vector<std::string> broken(const Comparison& comparison) {
  std::vector<std::string> found;
  for (const auto& check : comparison.gate) {
    if (check.found != GateCheck::Found::kBroken) continue;
    found.push_back(check.label + " " + check.quantity + " " + check.words);
  }
  return found;
}

std::vector<std::string> rows_that(const Comparison& comparison, TimedRow::Verdict verdict) {
  std::vector<std::string> found;
  for (const auto& row : comparison.rows) {
    if (row.verdict == verdict) found.push_back(row.label + " " + row.metric);
  }
  return found;
}

using Names = std::vector<std::string>;

TEST(Compare, FindsNothingBetweenRunsOfTheSame) {
  const auto comparison = compare_with({});
  EXPECT_EQ(comparison.outcome, Outcome::kFine);
  EXPECT_EQ(broken(comparison), Names{});
  EXPECT_EQ(rows_that(comparison, TimedRow::Verdict::kUnchanged).size(), 5U);
  // All-reduce has next to no encoding time, and no method reaches 99.9 %.
  EXPECT_EQ(rows_that(comparison, TimedRow::Verdict::kUntested),
            (Names{"all-reduce encode_s", "all-reduce tta_s", "ternary tta_s"}));
}

TEST(Compare, FindsOnePercentMorePayload) {
  const auto comparison = compare_with(
      edit_of("ternary", [](CellResult& cell) { cell.payload_bytes_per_iteration *= 1.01; }), 1);
  EXPECT_EQ(comparison.outcome, Outcome::kRegressed);
  EXPECT_EQ(broken(comparison), Names{"ternary payload bytes per iteration +1.00 %"});
}

TEST(Compare, FindsOneMoreCollectiveAndWireBytesBeyondOnePercent) {
  const auto comparison = compare_with(edit_of("ternary",
                                               [](CellResult& cell) {
                                                 cell.collectives_per_iteration = 7;
                                                 cell.measured_bytes_per_iteration *= 1.02;
                                               }),
                                       1);
  EXPECT_EQ(broken(comparison), (Names{"ternary collectives per iteration +16.67 %",
                                       "ternary measured bytes per iteration +2.03 %"}));
}

TEST(Compare, FindsAnEncodeThatIsAFifthSlower) {
  const auto comparison =
      compare_with(edit_of("ternary", [](CellResult& cell) { cell.encode_s *= 1.2; }));
  EXPECT_EQ(comparison.outcome, Outcome::kRegressed);
  EXPECT_EQ(rows_that(comparison, TimedRow::Verdict::kRegressed), Names{"ternary encode_s"});
  EXPECT_EQ(broken(comparison), Names{});
}

TEST(Compare, SeesAnImprovementAsFine) {
  const auto comparison =
      compare_with(edit_of("ternary", [](CellResult& cell) { cell.encode_s *= 0.8; }));
  EXPECT_EQ(comparison.outcome, Outcome::kFine);
  EXPECT_EQ(rows_that(comparison, TimedRow::Verdict::kImproved), Names{"ternary encode_s"});
}

TEST(Compare, LetsAChangeBelowTheThresholdPass) {
  const auto comparison =
      compare_with(edit_of("ternary", [](CellResult& cell) { cell.encode_s *= 1.03; }));
  EXPECT_EQ(comparison.outcome, Outcome::kFine);
  EXPECT_EQ(comparison.rows.at(5).metric, "encode_s");
  EXPECT_EQ(comparison.rows.at(5).notes, Names{"differs, but by less than 10 %"});
}

TEST(Compare, SaysHowManyRunsItNeedsWhereThereAreTooFew) {
  const auto comparison = compare_with({}, 3);
  EXPECT_EQ(comparison.outcome, Outcome::kInconclusive);
  // Five tests share 1 %, so each needs p below 0.01 / 5. With 6 values on each side no p is below
  // 2/924, which is more.
  EXPECT_EQ(comparison.rows.at(0).runs_needed, 7U);
  EXPECT_THAT(render_text(comparison, 140), HasSubstr("about 7 values on each side"));
}

TEST(Compare, SaysTheFewestRunsThatItCouldTellAnythingByWhereThereIsOneASide) {
  const auto comparison = compare_with({}, 1);
  EXPECT_EQ(comparison.outcome, Outcome::kInconclusive);
  EXPECT_THAT(render_text(comparison, 140), HasSubstr("at least 7 values on each side"));
}

TEST(Compare, IsInconclusiveWhereASlowDownMayBeHiddenInTheSpread) {
  TimedRow row;
  row.threshold = 0.05;
  row.seconds = {{1, {9, 10, 11, 12, 13, 14}, {9.5, 10.5, 11.5, 12.5, 13.5, 14.5}}};
  row.verdict = TimedRow::Verdict::kInconclusive;
  std::vector<TimedRow> rows{row};
  test_rows(rows, 0.01);
  EXPECT_EQ(rows[0].verdict, TimedRow::Verdict::kInconclusive);
  EXPECT_GT(rows[0].p_slower, kMissed);
  EXPECT_GT(rows[0].runs_needed, 20U);
}

TEST(Compare, SaysThatAChangeIsThereWhoseSizeIsNear) {
  TimedRow row;
  row.threshold = 0.05;
  row.seconds = {{1, {10, 10.1, 10.2, 10.3, 10.4, 10.5}, {10.6, 10.6, 10.7, 10.8, 10.9, 10.9}}};
  row.verdict = TimedRow::Verdict::kInconclusive;
  std::vector<TimedRow> rows{row};
  test_rows(rows, 0.01);
  EXPECT_EQ(rows[0].verdict, TimedRow::Verdict::kInconclusive);
  EXPECT_EQ(rows[0].notes, Names{"differs; whether by 5 % or more cannot be told"});
  EXPECT_FALSE(rows[0].runs_needed);
}

TEST(Compare, HoldsTimesToALossAgainstEachOther) {
  const auto to_a_loss = [](double factor) {
    Edit edit;
    edit.cell = [factor](CellResult& cell) { cell.time_per_iteration_s *= factor; };
    edit.files = [](Json& manifest, Json& result) {
      result["scenario"]["targets"] = {{"accuracy", {0.9}}, {"loss", {0.022}}};
      manifest["scenario"] = result["scenario"];
      for (auto& cell : result["cells"]) {
        const auto step_s = cell.at("time_per_iteration_s").get<double>();
        cell["targets"][1] = {{"loss", 0.022}, {"tta_s", 90 * step_s}, {"iterations", 90}};
      }
    };
    return edit;
  };
  const auto comparison =
      compare_sides(ExampleSide{10, to_a_loss(1)}, ExampleSide{10, to_a_loss(1.2), 3});
  std::vector<std::string> slower;
  for (const auto& row : comparison.rows) {
    if (row.verdict == TimedRow::Verdict::kRegressed && row.target) {
      slower.push_back(row.label + " " + words_of(*row.target));
    }
  }
  EXPECT_EQ(slower, (Names{"all-reduce 90 %", "all-reduce loss 0.022", "ternary 90 %",
                           "ternary loss 0.022"}));
}

TEST(Compare, HoldsOnlyTimesOfOneSeedAgainstEachOther) {
  TimedRow row;
  row.threshold = 0.05;
  // Each seed takes twice as long as the previous one. Within a seed, the next side is 10 % slower.
  for (const double scale : {1.0, 2.0, 4.0}) {
    row.seconds.push_back({static_cast<std::int64_t>(scale),
                           {scale * 10, scale * 10.1, scale * 10.2, scale * 10.3},
                           {scale * 11, scale * 11.1, scale * 11.2, scale * 11.3}});
  }
  row.verdict = TimedRow::Verdict::kInconclusive;
  std::vector<TimedRow> rows{row};
  test_rows(rows, 0.01);
  EXPECT_EQ(rows[0].verdict, TimedRow::Verdict::kRegressed);
  EXPECT_NEAR(rows[0].ratio.value, 1.0985, 0.001);
  rows[0].seconds = {{1, statistics::together(row.seconds, &statistics::Stratum::base),
                      statistics::together(row.seconds, &statistics::Stratum::next)}};
  rows[0].verdict = TimedRow::Verdict::kInconclusive;
  test_rows(rows, 0.01);
  EXPECT_EQ(rows[0].verdict, TimedRow::Verdict::kInconclusive);
}

TEST(Compare, LeavesSuspectCellsOutAndThenKnowsNothing) {
  const auto comparison = compare_with(edit_of("ternary", [](CellResult& cell) {
    cell.encode_s *= 2;
    cell.link_verdict = {"suspect", {"probe 4 % slow"}};
  }));
  EXPECT_EQ(comparison.outcome, Outcome::kInconclusive);
  EXPECT_EQ(rows_that(comparison, TimedRow::Verdict::kInconclusive),
            Names{"ternary time_per_iteration_s"});
  EXPECT_THAT(render_text(comparison, 140), HasSubstr("no seed has cells on both sides"));
}

TEST(Compare, RanksRunsThatNeverGotThereLast) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  TimedRow row;
  row.seconds = {{1,
                  {10, 11, 12, 10.5, 11.5, 10.2, 11.7, 10.9},
                  {kNever, kNever, kNever, kNever, kNever, kNever, kNever, 10.8}}};
  row.verdict = TimedRow::Verdict::kInconclusive;
  std::vector<TimedRow> rows{row};
  test_rows(rows, 0.01);
  EXPECT_EQ(rows[0].verdict, TimedRow::Verdict::kRegressed);
  EXPECT_EQ(rows[0].ratio.value, kNever);
}

TEST(Compare, BreaksOnACellThatFailsNow) {
  const auto comparison = compare_with(edit_of("ternary", [](CellResult& cell) {
    cell.status = CellStatus::kFailed;
    cell.reason = "rank 1 died";
  }));
  EXPECT_EQ(comparison.outcome, Outcome::kRegressed);
  ASSERT_EQ(broken(comparison).size(), 1U);
  EXPECT_THAT(broken(comparison)[0], HasSubstr("ternary end every base run finished this cell"));
}

TEST(Compare, BreaksOnACurveThatIsOneBitOff) {
  const ExampleSide base{1};
  const ExampleSide next{1};
  auto next_runs = read_side(next.path());
  next_runs[0].curves[1][4].loss = std::nextafter(next_runs[0].curves[1][4].loss, 1);
  const auto base_runs = read_side(base.path());
  const auto comparison = compare(base_runs, next_runs, {});
  ASSERT_EQ(broken(comparison).size(), 1U);
  EXPECT_THAT(broken(comparison)[0], HasSubstr("ternary learning curve"));
  EXPECT_THAT(broken(comparison)[0], HasSubstr("after iteration 40"));
}

TEST(Compare, OfAProgramFindsACurveBrokenOnlyWhereBaseRunsAgree) {
  Edit program;
  program.files = [](Json& manifest, Json& result) {
    for (auto* document : {&manifest, &result}) {
      (*document)["scenario"]["methods"][1]["name"] = "program";
    }
  };
  for (const int bases : {1, 2}) {
    const ExampleSide base{bases, program};
    const ExampleSide next{1, program, 3};
    auto next_runs = read_side(next.path());
    next_runs[0].curves[1][4].loss = std::nextafter(next_runs[0].curves[1][4].loss, 1);
    const auto comparison = compare(read_side(base.path()), next_runs, {});
    EXPECT_EQ(broken(comparison).size(), bases == 1 ? 0U : 1U);
  }
}

TEST(Compare, AsksNoEqualBitsOfAnotherTorch) {
  Edit edit;
  edit.files = [](Json& manifest, Json&) { manifest["torch_version"] = "2.12.0"; };
  const auto comparison = compare_with(edit);
  EXPECT_EQ(comparison.outcome, Outcome::kFine);
  EXPECT_THAT(render_text(comparison, 140),
              AllOf(HasSubstr("not asked of 2 cells: learning curve: "),
                    HasSubstr("here: torch 2.11.0 and 2.12.0")));
}

TEST(Compare, AsksOnlyTheEndOfMethodsThatDecideByTime) {
  auto edit = edit_of("ternary", [](CellResult& cell) { cell.payload_bytes_per_iteration += 8; });
  CompareOptions options;
  EXPECT_FALSE(broken(compare_sides(ExampleSide{3}, ExampleSide{3, edit, 3}, options)).empty());
  options.by_time = {"ternary"};
  const auto comparison = compare_sides(ExampleSide{3}, ExampleSide{3, edit, 3}, options);
  EXPECT_EQ(broken(comparison), Names{});
  EXPECT_THAT(render_text(comparison, 140), HasSubstr("decides by measured times"));
}

TEST(LabelsByTime, AreThoseOfMethodsThatMeasureWithTheOptionsThatTheyHave) {
  Catalogue catalogue;
  MethodInfo timed;
  timed.name = "timed";
  timed.depends_on_time = true;
  MethodInfo plain;
  plain.name = "plain";
  catalogue.methods = {timed, plain};
  const Json scenario{{"methods",
                       {{{"name", "timed"}, {"label", "a"}},
                        {{"name", "plain"}, {"label", "b"}},
                        {{"name", "program"}, {"label", "c"}}}}};
  EXPECT_EQ(labels_by_time(scenario, catalogue), std::set<std::string>{"a"});
}

TEST(Compare, TakesNoTimesOfAnotherMachineButKeepsTheGate) {
  auto edit = edit_of("ternary", [](CellResult& cell) { cell.time_per_iteration_s *= 2; });
  edit.files = [](Json& manifest, Json&) { manifest["environment"]["kernel"] = "Linux 6.8"; };
  const auto comparison = compare_with(edit);
  EXPECT_EQ(comparison.outcome, Outcome::kIncomparable);
  EXPECT_TRUE(comparison.rows.empty());
  EXPECT_EQ(comparison.machines.at(0).difference.pointer, "/environment/kernel");
  edit.cell = [](CellResult& cell) { cell.payload_bytes_per_iteration += 8; };
  EXPECT_EQ(compare_with(edit).outcome, Outcome::kRegressed);
}

/// Returns what the gate finds about payload bytes when the next side ran on another processor and
/// both its seeds send `more` bytes more in each iteration. A side's two seeds are 8 bytes apart.
GateCheck::Found payload_of_another_cpu(double more) {
  Edit base;
  base.seeds = {1, 2};
  base.cell = [](CellResult& cell) {
    if (cell.label == "ternary") cell.payload_bytes_per_iteration += 8.0 * (cell.seed == 2);
  };
  auto next = base;
  next.cell = [=](CellResult& cell) {
    base.cell(cell);
    if (cell.label == "ternary") cell.payload_bytes_per_iteration += more;
  };
  next.files = [](Json& manifest, Json&) { manifest["environment"]["cpu"] = "another CPU"; };
  const auto gate = compare_sides(ExampleSide{1, base}, ExampleSide{1, next}).gate;
  return std::find_if(gate.begin(), gate.end(),
                      [](const GateCheck& check) {
                        return check.label == "ternary" &&
                               check.quantity == "payload bytes per iteration";
                      })
      ->found;
}

TEST(Compare, LetsSizesThatFollowGradientsDifferBetweenProcessorsByLessThanSeedsDo) {
  EXPECT_EQ(payload_of_another_cpu(0), GateCheck::Found::kEqual);
  EXPECT_EQ(payload_of_another_cpu(8), GateCheck::Found::kNotAsked);
  EXPECT_EQ(payload_of_another_cpu(9), GateCheck::Found::kBroken);
}

/// The row of the method "ternary" for a quantity.
const CarriedRow& carried(const Comparison& comparison, const std::string& quantity) {
  for (const auto& row : comparison.carried) {
    if (row.label == "ternary" && row.quantity == quantity) return row;
  }
  throw std::out_of_range{quantity};
}

TEST(Compare, ShowsRatiosAndIterationsOfAnotherMachine) {
  auto edit = edit_of("ternary", [](CellResult& cell) { cell.time_per_iteration_s *= 2; });
  edit.files = [](Json& manifest, Json&) { manifest["environment"]["cpu"] = "another CPU"; };
  const auto comparison = compare_with(edit);
  const auto& step = carried(comparison, "step / all-reduce's");
  EXPECT_NEAR(*step.base, 0.25, 0.01);
  EXPECT_NEAR(*step.next, 0.5, 0.02);
  EXPECT_EQ(step.note, "");
  const auto& iterations = carried(comparison, "iterations to " + words_of({kAccuracy, 0.9}));
  EXPECT_EQ(iterations.base, iterations.next);
  EXPECT_THAT(iterations.note, HasSubstr("floats in different orders"));
  EXPECT_THAT(render_text(comparison, 140), HasSubstr("step / all-reduce's"));
  EXPECT_THAT(render_markdown(comparison), HasSubstr("### Between two machines"));
}

TEST(Compare, SaysThatIterationsMayDifferWithTheNumberOfCores) {
  Edit edit;
  edit.files = [](Json& manifest, Json&) { manifest["environment"]["cores"] = 64; };
  const auto comparison = compare_with(edit);
  EXPECT_THAT(carried(comparison, "iterations to " + words_of({kAccuracy, 0.9})).note,
              HasSubstr("floats in different orders"));
}

TEST(Compare, SaysOfWhichStepsOfAnotherMachineNothingCarriesOver) {
  auto edit = edit_of("ternary", [](CellResult& cell) { cell.host_verdict = {"cpu-bound", {}}; });
  edit.files = [](Json& manifest, Json&) { manifest["environment"]["cores"] = 64; };
  const auto comparison = compare_with(edit);
  EXPECT_THAT(carried(comparison, "step / all-reduce's").note, HasSubstr("ternary is cpu-bound"));
}

TEST(Compare, ShowsNothingOfThatOnOneMachine) { EXPECT_TRUE(compare_with({}).carried.empty()); }

TEST(Compare, NamesTheFirstPlaceWhereScenariosDiffer) {
  Edit edit;
  edit.files = [](Json& manifest, Json& result) {
    for (auto* document : {&manifest, &result}) {
      (*document)["scenario"]["methods"][1]["clip"] = 2.5;
    }
  };
  const ExampleSide base{1};
  const ExampleSide next{1, edit};
  const auto mismatch = first_mismatch(read_side(base.path()), read_side(next.path()));
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->difference.pointer, "/methods/ternary/clip");
}

TEST(Compare, SaysAllItKnowsAsJsonAndTheVerdictFirstInMarkdown) {
  const auto comparison =
      compare_with(edit_of("ternary", [](CellResult& cell) { cell.encode_s *= 1.2; }));
  const auto document = to_json(comparison);
  EXPECT_EQ(document["outcome"], "regression");
  EXPECT_EQ(testing::first_schema_error(comparison_schema(), document), "");
  EXPECT_EQ(document["times"][5]["values"][0]["base"].size(), 10U);
  EXPECT_LT(document["times"][5]["statistics"]["p_holm"], 0.01);
  EXPECT_TRUE(document["times"][1]["statistics"].is_null());
  EXPECT_THAT(
      render_markdown(comparison),
      ::testing::StartsWith("## pacbench: regression: 0 broken checks; times: 1 regressed"));
}

}  // namespace
}  // namespace pacbench::compare
