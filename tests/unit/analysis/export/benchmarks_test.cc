#include <set>

#include "analysis/export/formats.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"

namespace pacbench::exports {
namespace {

BenchmarkSuite suite_of(const RunResult& run) {
  return benchmark_suite(report::report_of(run).sections.front());
}

Json bencher(const RunResult& run) { return Json::parse(to_bencher(suite_of(run)).text); }

/// Expects that every benchmark and every measure of a document keeps to Bencher's rules.
void expect_bencher_rules(const Json& document) {
  ASSERT_TRUE(document.is_object());
  for (const auto& [benchmark, measures] : document.items()) {
    EXPECT_LE(benchmark.size(), 1024U);
    ASSERT_TRUE(measures.is_object()) << benchmark;
    EXPECT_FALSE(measures.empty()) << benchmark;
    for (const auto& [name, values] : measures.items()) {
      EXPECT_LE(name.size(), 64U);
      EXPECT_TRUE(values.contains("value")) << name;
      for (const auto& [key, value] : values.items()) {
        EXPECT_TRUE(key == "value" || key == "lower_value" || key == "upper_value") << key;
        EXPECT_TRUE(value.is_number()) << name << "/" << key;
      }
    }
  }
}

TEST(Bencher, HasTheMedianOfTheSeedsBetweenTheirExtremes) {
  const auto document = bencher(report::example_run());
  expect_bencher_rules(document);
  const auto& measures = document["wan100/fp16/100Mbps"];
  const auto& time = measures["time-per-iteration"];
  EXPECT_DOUBLE_EQ(time["value"], 0.118 * 1.05);
  EXPECT_DOUBLE_EQ(time["lower_value"], 0.118);
  EXPECT_DOUBLE_EQ(time["upper_value"], 0.118 * 1.1);
  EXPECT_DOUBLE_EQ(measures["final-error"]["value"], 1 - 0.9744);
  EXPECT_TRUE(measures["tta-0.97"].contains("lower_value"));
  EXPECT_FALSE(measures["tta-0.97"].contains("upper_value")) << "which one seed missed";
  EXPECT_DOUBLE_EQ(measures["missed-0.97"]["value"], 1.0 / 3);
}

TEST(Bencher, SaysOfATargetThatWasNeverReachedThatItIsLeftOut) {
  const auto file = to_bencher(suite_of(report::example_run()));
  const auto document = Json::parse(file.text);
  EXPECT_FALSE(document["wan100/topk-0.01/100Mbps"].contains("tta-0.97"));
  EXPECT_DOUBLE_EQ(document["wan100/topk-0.01/100Mbps"]["missed-0.97"]["value"], 1.0);
  EXPECT_THAT(file.left_out,
              ElementsAre("wan100/topk-0.01/100Mbps: tta-0.97, iterations-0.97: only 0 of 3 "
                          "seeds reached the target"));
}

TEST(Bencher, LeavesOutWhatRanOverASuspectLinkAndWhatIsNotDone) {
  auto run = report::example_run();
  report::cell(run, "topk-0.1", 2).link_verdict = {"suspect", {"drops"}};
  for (const std::int64_t seed : {1, 2, 3}) {
    report::cell(run, "fp16", seed).status = CellStatus::kFailed;
  }
  const auto file = to_bencher(suite_of(run));
  const auto document = Json::parse(file.text);
  EXPECT_FALSE(document.contains("wan100/topk-0.1/100Mbps"));
  EXPECT_FALSE(document.contains("wan100/fp16/100Mbps"));
  EXPECT_THAT(file.left_out,
              Contains(AllOf(StartsWith("wan100/topk-0.1/100Mbps:"), HasSubstr("suspect"))));
  EXPECT_THAT(file.left_out, Contains("wan100/fp16/100Mbps: none of its cells is done"));
}

TEST(Bencher, HasNoTimesOfModeLearn) {
  const auto document = bencher(report::example_run_in(Mode::kLearn));
  expect_bencher_rules(document);
  const auto& measures = document["wan100/fp16/none"];
  EXPECT_FALSE(measures.contains("time-per-iteration") || measures.contains("tta-0.9"));
  EXPECT_DOUBLE_EQ(measures["iterations-0.9"]["value"], 24);
}

TEST(GithubAction, IsAListOfTheNumbersThatBencherGetsNamedAndWithUnits) {
  const auto rows = Json::parse(to_github_action(suite_of(report::example_run())).text);
  ASSERT_TRUE(rows.is_array());
  std::set<std::string> names;
  for (const auto& row : rows) {
    EXPECT_TRUE(row.at("name").is_string() && row.at("unit").is_string()) << row;
    EXPECT_TRUE(row.at("value").is_number()) << row;
    EXPECT_TRUE(row.at("extra").is_string()) << row;
    EXPECT_TRUE(!row.contains("range") || row.at("range").is_string()) << row;
    EXPECT_TRUE(names.insert(row.at("name")).second) << "twice: " << row;
  }
  EXPECT_TRUE(names.contains("wan100/topk-0.1/100Mbps/wire-bytes"));
  const auto document = bencher(report::example_run());
  std::size_t measures = 0;
  for (const auto& [name, values] : document.items()) measures += values.size();
  EXPECT_EQ(rows.size(), measures);
  EXPECT_EQ(rows[0]["value"], document["wan100/all-reduce/100Mbps"]["time-per-iteration"]["value"]);
}

}  // namespace
}  // namespace pacbench::exports
