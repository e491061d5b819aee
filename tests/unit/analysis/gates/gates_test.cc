#include "analysis/gates/judge.h"
#include "base/errors.h"
#include "base/files.h"
#include "contract/scenario/gate.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::gates {
namespace {

/// A gate on topk-0.1's time to 95 % over fp16's, which is about 1.6.
Gate tta_gate(double max = 2) {
  Gate gate;
  gate.method = "topk-0.1";
  gate.metric = GateMetric::kTta;
  gate.target = 0.95;
  gate.over = "fp16";
  gate.max = max;
  return gate;
}

/// A gate on a number of fp16.
Gate fp16_gate(GateMetric metric, double max) {
  Gate gate;
  gate.method = "fp16";
  gate.metric = metric;
  gate.max = max;
  return gate;
}

Judgement judged(const RunResult& run, const Gate& gate) { return judge("run", run, {gate}).at(0); }

Judgement judged(const Gate& gate) { return judged(report::example_run(), gate); }

TEST(Gate, HoldsWhenTheWholeIntervalOfTheRatioIsWithinItsBoundsAndIsBrokenWhenItIsOutside) {
  const auto found = judged(tta_gate());
  EXPECT_EQ(found.finding, Finding::kHolds);
  EXPECT_NEAR(*found.value, 54 * 0.161 / (45 * 0.118), 1e-9);
  EXPECT_EQ(found.seeds, 3u);
  EXPECT_EQ(judged(tta_gate(0.8)).finding, Finding::kBroken);
  auto gate = tta_gate();
  gate.max.reset();
  gate.min = 2;
  EXPECT_EQ(judged(gate).finding, Finding::kBroken);
}

TEST(Gate, IsInconclusiveWhenItsBoundLiesWithinWhatTheSeedsFound) {
  auto gate = fp16_gate(GateMetric::kStep, 0.6);
  gate.over = "all-reduce";
  auto run = report::example_run();
  report::cell(run, "fp16", 2).time_per_iteration_s *= 1.3;
  const auto found = judged(run, gate);
  EXPECT_EQ(found.finding, Finding::kInconclusive);
  EXPECT_THAT(found.why, HasSubstr("seeds"));
}

TEST(Gate, IsBrokenWhenTheMethodNeverReachedTheTarget) {
  auto gate = tta_gate(10);
  gate.method = "topk-0.01";
  gate.target = 0.97;
  gate.over = "all-reduce";
  const auto found = judged(gate);
  EXPECT_EQ(found.finding, Finding::kBroken);
  EXPECT_THAT(found.why, HasSubstr("topk-0.01"));
  gate.method = "topk-0.1";
  gate.over = "topk-0.01";
  EXPECT_EQ(judged(gate).finding, Finding::kInconclusive) << "the other one never reached it";
}

TEST(Gate, MeansTheNearestTargetSinceTablesRoundTargets) {
  auto gate = tta_gate();
  const auto exact = judged(gate);
  gate.target->value += 0.00006;
  EXPECT_TRUE(gate_issues({gate}, report::example_run().scenario).empty());
  EXPECT_EQ(judged(gate).value, exact.value);
  gate.target->value += 0.0001;
  EXPECT_FALSE(gate_issues({gate}, report::example_run().scenario).empty());
}

TEST(Gate, OfCountsBoundsTheNumbersOfAllSeeds) {
  auto gate = fp16_gate(GateMetric::kBytes, 1.21e6);
  gate.min = 1.2e6;
  EXPECT_EQ(judged(gate).finding, Finding::kHolds);
  auto run = report::example_run();
  report::cell(run, "fp16", 3).measured_bytes_per_iteration = 1.3e6;
  EXPECT_NE(judged(run, gate).finding, Finding::kHolds);
}

TEST(Gate, OfEqualRatiosHoldsAtItsBound) {
  auto gate = fp16_gate(GateMetric::kPayloadBytes, 3);
  gate.over = "all-reduce";
  auto run = report::example_run();
  for (const int seed : {1, 2, 3}) {
    report::cell(run, "all-reduce", seed).payload_bytes_per_iteration = 1000;
    report::cell(run, "fp16", seed).payload_bytes_per_iteration = 3000;
  }
  EXPECT_EQ(judged(run, gate).finding, Finding::kHolds);
}

TEST(Gate, OfATimeToATargetIsInconclusiveWhereNothingIsLearned) {
  auto run = report::example_run();
  run.scenario["mode"] = "compose";
  run.scenario["compose"] = {{"curve", ""}};
  for (auto& cell : run.cells) {
    for (auto& target : cell.targets) target.tta_s.reset();
  }
  const auto found = judged(run, tta_gate());
  EXPECT_EQ(found.finding, Finding::kInconclusive);
  EXPECT_THAT(found.why, HasSubstr("curve"));
}

TEST(Gate, IsBrokenByAFailedCellAndInconclusiveOverASuspectLink) {
  auto run = report::example_run();
  report::cell(run, "fp16", 1).link_verdict = {"suspect", {"slow"}};
  EXPECT_EQ(judged(run, tta_gate()).finding, Finding::kInconclusive);
  report::cell(run, "topk-0.1", 1).link_verdict.word = "suspect";
  report::cell(run, "topk-0.1", 3).status = CellStatus::kFailed;
  report::cell(run, "topk-0.1", 3).reason = "rank 3: no memory";
  const auto found = judged(run, tta_gate());
  EXPECT_EQ(found.finding, Finding::kBroken) << "whatever is missing of earlier seeds";
  EXPECT_THAT(found.why, AllOf(HasSubstr("seed 3"), HasSubstr("no memory")));
}

TEST(Gate, IsInconclusiveOverALinkThatWasNotRun) {
  auto gate = tta_gate();
  gate.link = "1Gbps";
  auto run = report::example_run();
  run.scenario["network"]["links"].push_back({{"name", "1Gbps"}, {"rate_mbit", 1000}});
  const auto found = judged(run, gate);
  EXPECT_EQ(found.finding, Finding::kInconclusive);
  EXPECT_THAT(found.why, HasSubstr("was not run"));
  gate.link.reset();
  EXPECT_EQ(judge("run", run, {gate}).size(), 2u) << "a gate applies to every link";
}

TEST(Gate, ThatNamesWhatTheRunLacksIsRefusedWithItsPlace) {
  auto gate = tta_gate();
  gate.method = "topk-0.2";
  gate.target = 0.96;
  gate.link = "1Gbps";
  EXPECT_THAT(testing::refusal_words([&] { judged(gate); }),
              AllOf(HasSubstr("/gates/0/method"), HasSubstr("topk-0.2"),
                    HasSubstr("/gates/0/target"), HasSubstr("/gates/0/link")));
}

std::vector<Gate> gates_in(const std::string& text) {
  const TemporaryFolder folder;
  const auto path = folder.path() + "/gates.json";
  write_file_atomically(path, text);
  return read_gates_file(path);
}

TEST(GatesFile, IsReadAndItsFaultsAreNamed) {
  const auto gates = gates_in(R"({"gates": [{"method": "a", "metric": "bytes", "max": 5}]})");
  ASSERT_EQ(gates.size(), 1u);
  EXPECT_EQ(gates[0].max, 5);
  const auto refused = [](const std::string& gate) {
    return testing::refusal_words([&] { gates_in(R"({"gates": [)" + gate + "]}"); });
  };
  EXPECT_THAT(refused(R"({"method": "a", "metric": "tta", "target": 0.9, "max": 5})"),
              HasSubstr("/gates/0/over"));
  EXPECT_THAT(refused(R"({"method": "a", "metric": "bytes"})"), HasSubstr("/gates/0/max"));
  EXPECT_THAT(refused(R"({"method": "a", "metric": "tta", "over": "b", "max": 1})"),
              HasSubstr("/gates/0/metric"));
  EXPECT_THAT(refused(R"({"method": "a", "metric": "bytes", "max": 1, "most": 2})"),
              HasSubstr("/gates/0/most"));
}

TEST(GatesFile, TakesATargetAsTablesWriteIt) {
  const auto of_target = [](const std::string& target) {
    return gates_in(R"({"gates": [{"method": "a", "metric": "iterations", "max": 9, "target": )" +
                    target + "}]}")[0];
  };
  const auto share = of_target(R"("99 % of all-reduce")");
  EXPECT_EQ(words_of(share), "iterations to 99 % of all-reduce of a");
  EXPECT_EQ(Json(share)["target"], "99 % of all-reduce");
  EXPECT_EQ(Json(share).get<Gate>().target->value, share.target->value);
  EXPECT_THROW(Json("most").get<GateTarget>(), std::invalid_argument);
  const Json scenario{{"targets", {{"of_all_reduce", {0.95, 0.99}}, {"accuracy", {0.9, 0.94}}}}};
  EXPECT_EQ(target_of(share, scenario), (Target{kAccuracy, 0.94}));
  EXPECT_EQ(of_target(R"("94%")").target->value, 0.94);
  EXPECT_FALSE(of_target(R"("94%")").target->is_of_all_reduce);
  EXPECT_EQ(Json(of_target("0.97"))["target"], 0.97);
  for (const auto* nonsense : {R"("most")", R"("120 %")", R"("0 %")", "1.2", "[0.9]"}) {
    EXPECT_THROW(of_target(nonsense), ConfigError) << nonsense;
  }
}

std::vector<Judgement> one_of_each() {
  auto unknown = tta_gate(1);
  unknown.over = "topk-0.01";
  unknown.target = 0.97;
  return judge("run", report::example_run(), {tta_gate(), tta_gate(0.8), unknown});
}

TEST(Judgements, AreATestSuiteForCiServers) {
  const auto xml = render_junit(one_of_each(), false);
  EXPECT_THAT(xml, AllOf(HasSubstr(R"(tests="3")"), HasSubstr(R"(failures="1")"),
                         HasSubstr(R"(skipped="1")"), HasSubstr("<failure ")));
  EXPECT_THAT(render_junit(one_of_each(), true), HasSubstr(R"(failures="2")"));
}

TEST(Judgements, AreOneAnnotationForEachGateThatDoesNotHold) {
  auto judgements = one_of_each();
  judgements[1].why = "100 %\nand more";
  const auto text = render_annotations(judgements, false);
  EXPECT_THAT(text, AllOf(HasSubstr("::error "), HasSubstr("::warning "),
                          HasSubstr("100 %25%0Aand more"), Not(HasSubstr("holds"))));
  EXPECT_THAT(render_annotations(judgements, true), Not(HasSubstr("::warning ")));
}

}  // namespace
}  // namespace pacbench::gates
