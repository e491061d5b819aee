#include "analysis/compare/comparison.h"

#include <limits>
#include <stdexcept>

#include "tests/unit/analysis/compare/example_runs.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::compare {
namespace {

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

Edit of_ternary(const std::function<void(CellResult&)>& change) {
  return edit_of("ternary", change);
}

/// The edit of runs on a machine that has another value of its environment.
Edit elsewhere(const char* key, const Json& value, Edit edit = {}) {
  edit.files = [=](Json& manifest, Json&) { manifest["environment"][key] = value; };
  return edit;
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

/// A row of these times after its test at 1 %.
TimedRow tested(const statistics::Strata& seconds) {
  TimedRow row;
  row.threshold = 0.05;
  row.seconds = seconds;
  row.verdict = TimedRow::Verdict::kInconclusive;
  std::vector<TimedRow> rows{row};
  test_rows(rows, 0.01);
  return rows[0];
}

TEST(Compare, FindsNothingBetweenRunsOfTheSame) {
  const auto comparison = compare_with({});
  EXPECT_EQ(comparison.outcome, Outcome::kFine);
  EXPECT_EQ(broken(comparison), Names{});
  EXPECT_TRUE(comparison.carried.empty()) << "it is one machine";
  EXPECT_EQ(rows_that(comparison, TimedRow::Verdict::kUnchanged).size(), 5U);
  // All-reduce has next to no encoding time, and no method reaches 99.9 %.
  EXPECT_EQ(rows_that(comparison, TimedRow::Verdict::kUntested),
            (Names{"all-reduce encode_s", "all-reduce tta_s", "ternary tta_s"}));
}

TEST(Compare, FindsOnePercentMorePayloadOneMoreCollectiveAndWireBytesBeyondOnePercent) {
  const auto edit = of_ternary([](CellResult& cell) {
    cell.payload_bytes_per_iteration *= 1.01;
    cell.collectives_per_iteration = 7;
    cell.measured_bytes_per_iteration *= 1.02;
  });
  const auto comparison = compare_with(edit, 1);
  EXPECT_EQ(comparison.outcome, Outcome::kRegressed);
  EXPECT_EQ(broken(comparison), (Names{"ternary payload bytes per iteration +1.00 %",
                                       "ternary collectives per iteration +16.67 %",
                                       "ternary measured bytes per iteration +2.03 %"}));
  EXPECT_THAT(render_text(comparison, 140), HasSubstr("payload bytes per iteration"));
}

Comparison with_encode_times(double factor) {
  return compare_with(of_ternary([=](CellResult& cell) { cell.encode_s *= factor; }));
}

TEST(Compare, FindsAnEncodeThatIsAFifthSlowerAndSaysAllItKnows) {
  const auto comparison = with_encode_times(1.2);
  EXPECT_EQ(comparison.outcome, Outcome::kRegressed);
  EXPECT_EQ(rows_that(comparison, TimedRow::Verdict::kRegressed), Names{"ternary encode_s"});
  EXPECT_EQ(broken(comparison), Names{});
  const auto document = to_json(comparison);
  EXPECT_EQ(document["outcome"], "regression");
  EXPECT_EQ(testing::first_schema_error(comparison_schema(), document), "");
  EXPECT_EQ(document["times"][5]["values"][0]["base"].size(), 10U);
  EXPECT_LT(document["times"][5]["statistics"]["p_holm"], 0.01);
  EXPECT_TRUE(document["times"][1]["statistics"].is_null());
  EXPECT_THAT(render_markdown(comparison),
              StartsWith("## pacbench: regression: 0 broken checks; times: 1 regressed"));
}

TEST(Compare, SeesAnImprovementAsFineAndLetsAChangeBelowTheThresholdPass) {
  const auto improved = with_encode_times(0.8);
  EXPECT_EQ(improved.outcome, Outcome::kFine);
  EXPECT_EQ(rows_that(improved, TimedRow::Verdict::kImproved), Names{"ternary encode_s"});
  const auto near = with_encode_times(1.03);
  EXPECT_EQ(near.outcome, Outcome::kFine);
  EXPECT_EQ(near.rows.at(5).notes, Names{"differs, but by less than 10 %"});
}

TEST(Compare, SaysHowManyRunsItNeedsWhereThereAreTooFew) {
  const auto comparison = compare_with({}, 3);
  EXPECT_EQ(comparison.outcome, Outcome::kInconclusive);
  // Five tests share 1 %, so each needs p below 0.01 / 5. With 6 values on each side no p is below
  // 2/924, which is more.
  EXPECT_EQ(comparison.rows.at(0).runs_needed, 7U);
  EXPECT_THAT(render_text(comparison, 140), HasSubstr("about 7 values on each side"));
}

TEST(Compare, IsInconclusiveWhereASlowDownMayBeHiddenInTheSpread) {
  const auto row = tested({{1, {9, 10, 11, 12, 13, 14}, {9.5, 10.5, 11.5, 12.5, 13.5, 14.5}}});
  EXPECT_EQ(row.verdict, TimedRow::Verdict::kInconclusive);
  EXPECT_GT(row.p_slower, kMissed);
  EXPECT_GT(row.runs_needed, 20U);
}

TEST(Compare, SaysThatAChangeIsThereWhoseSizeIsNear) {
  const auto row =
      tested({{1, {10, 10.1, 10.2, 10.3, 10.4, 10.5}, {10.6, 10.6, 10.7, 10.8, 10.9, 10.9}}});
  EXPECT_EQ(row.verdict, TimedRow::Verdict::kInconclusive);
  EXPECT_EQ(row.notes, Names{"differs; whether by 5 % or more cannot be told"});
  EXPECT_FALSE(row.runs_needed);
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
  // Each seed takes twice as long as the previous one. Within a seed, the next side is 10 % slower.
  statistics::Strata seeds;
  for (const double scale : {1.0, 2.0, 4.0}) {
    seeds.push_back({static_cast<std::int64_t>(scale),
                     {scale * 10, scale * 10.1, scale * 10.2, scale * 10.3},
                     {scale * 11, scale * 11.1, scale * 11.2, scale * 11.3}});
  }
  const auto row = tested(seeds);
  EXPECT_EQ(row.verdict, TimedRow::Verdict::kRegressed);
  EXPECT_NEAR(row.ratio.value, 1.0985, 0.001);
  EXPECT_EQ(tested({{1, statistics::together(seeds, &statistics::Stratum::base),
                     statistics::together(seeds, &statistics::Stratum::next)}})
                .verdict,
            TimedRow::Verdict::kInconclusive);
}

TEST(Compare, LeavesSuspectCellsOutAndThenKnowsNothing) {
  const auto comparison = compare_with(of_ternary([](CellResult& cell) {
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
  const auto row = tested({{1,
                            {10, 11, 12, 10.5, 11.5, 10.2, 11.7, 10.9},
                            {kNever, kNever, kNever, kNever, kNever, kNever, kNever, 10.8}}});
  EXPECT_EQ(row.verdict, TimedRow::Verdict::kRegressed);
  EXPECT_EQ(row.ratio.value, kNever);
}

TEST(Compare, BreaksOnACellThatFailsNow) {
  const auto comparison =
      compare_with(of_ternary([](CellResult& cell) { cell.status = CellStatus::kFailed; }));
  EXPECT_EQ(comparison.outcome, Outcome::kRegressed);
  EXPECT_THAT(broken(comparison),
              ElementsAre(HasSubstr("ternary end every base run finished this cell")));
}

/// What breaks when a learning curve of the next side is one bit off.
std::vector<std::string> broken_by_a_bit(int bases, const Edit& edit = {}) {
  const ExampleSide base{bases, edit};
  const ExampleSide next{1, edit, 3};
  auto next_runs = read_side(next.path());
  auto& loss = next_runs[0].curves[1][4].loss;
  loss = std::nextafter(loss, 1);
  return broken(compare(read_side(base.path()), next_runs, {}));
}

TEST(Compare, BreaksOnACurveThatIsOneBitOffOfAProgramOnlyWhereBaseRunsAgree) {
  EXPECT_THAT(broken_by_a_bit(1), ElementsAre(AllOf(HasSubstr("ternary learning curve"),
                                                    HasSubstr("after iteration 40"))));
  Edit program;
  program.files = [](Json& manifest, Json& result) {
    manifest["scenario"]["methods"][1]["name"] = "program";
    result["scenario"]["methods"][1]["name"] = "program";
  };
  EXPECT_EQ(broken_by_a_bit(1, program), Names{});
  EXPECT_EQ(broken_by_a_bit(2, program).size(), 1U);
}

TEST(Compare, AsksNoEqualBitsOfAnotherTorch) {
  Edit edit;
  edit.files = [](Json& manifest, Json&) { manifest["torch_version"] = "2.12.0"; };
  const auto comparison = compare_with(edit);
  EXPECT_EQ(comparison.outcome, Outcome::kFine);
  EXPECT_THAT(render_text(comparison, 140),
              AllOf(HasSubstr("not asked of 2 cells"), HasSubstr("torch 2.11.0 and 2.12.0")));
}

TEST(Compare, AsksOnlyTheEndOfMethodsThatDecideByTime) {
  auto edit = of_ternary([](CellResult& cell) { cell.payload_bytes_per_iteration += 8; });
  CompareOptions options;
  EXPECT_FALSE(broken(compare_sides(ExampleSide{3}, ExampleSide{3, edit, 3}, options)).empty());
  options.by_time = {"ternary"};
  const auto comparison = compare_sides(ExampleSide{3}, ExampleSide{3, edit, 3}, options);
  EXPECT_EQ(broken(comparison), Names{});
  EXPECT_THAT(render_text(comparison, 140), HasSubstr("decides by measured times"));
}

TEST(LabelsByTime, AreThoseOfMethodsThatMeasureWithTheOptionsThatTheyHave) {
  Catalogue catalogue;
  catalogue.methods.resize(2);
  catalogue.methods[0].name = "timed";
  catalogue.methods[0].depends_on_time = true;
  catalogue.methods[1].name = "plain";
  const auto scenario = Json::parse(R"({"methods": [{"name": "timed", "label": "a"},
      {"name": "plain", "label": "b"}, {"name": "program", "label": "c"}]})");
  EXPECT_EQ(labels_by_time(scenario, catalogue), std::set<std::string>{"a"});
}

TEST(Compare, TakesNoTimesOfAnotherMachineButKeepsTheGate) {
  auto edit = elsewhere("kernel", "Linux 6.8",
                        of_ternary([](CellResult& cell) { cell.time_per_iteration_s *= 2; }));
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
  const ExampleSide other{1, elsewhere("cpu", "another CPU", next)};
  const auto gate = compare_sides(ExampleSide{1, base}, other).gate;
  for (const auto& check : gate) {
    if (check.label == "ternary" && check.quantity.starts_with("payload")) return check.found;
  }
  throw std::out_of_range{"payload"};
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
  const auto comparison = compare_with(elsewhere(
      "cpu", "another CPU", of_ternary([](CellResult& cell) { cell.time_per_iteration_s *= 2; })));
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

TEST(Compare, SaysOfWhichStepsOfAnotherMachineNothingCarriesOver) {
  const auto comparison = compare_with(elsewhere("cores", 64, of_ternary([](CellResult& cell) {
                                                   cell.host_verdict = {"cpu-bound", {}};
                                                 })));
  EXPECT_THAT(carried(comparison, "iterations to " + words_of({kAccuracy, 0.9})).note,
              HasSubstr("floats in different orders"));
  EXPECT_THAT(carried(comparison, "step / all-reduce's").note, HasSubstr("ternary is cpu-bound"));
}

}  // namespace
}  // namespace pacbench::compare
