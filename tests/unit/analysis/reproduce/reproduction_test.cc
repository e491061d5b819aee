// Claims answered by made-up runs: what decides, and what is only shown.
#include "analysis/reproduce/reproduction.h"

#include <gmock/gmock.h>

#include "tests/unit/analysis/reproduce/reproduced.h"

namespace pacbench::reproduce::reproduction_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

Reproduction of(const MadeRun& setting, const std::vector<MadeArm>& arms) {
  return reproduced(named({made_run(setting, arms)}));
}

constexpr const char* kFig5 = "resnet152-all-reduce";

TEST(Reproduction, OfFigure5IsTheTernaryArms) {
  const auto found = of({}, figure_5());
  const auto& answer = claim(found, kFig5);
  EXPECT_EQ(answer.finding, Finding::kReproduced);
  EXPECT_EQ(answer.arms.front().label, "pactrain-0.5-ternary");
  EXPECT_NEAR(*answer.arms.front().best().value, 3.4 / 0.6, 1e-9);
  EXPECT_EQ(arm(answer, "pactrain-0.5").finding, Finding::kContradicted);
  EXPECT_EQ(claim(found, "fp16-all-reduce").finding, Finding::kReproduced);
}

TEST(Reproduction, CountsIterationsAndNotStepsAlone) {
  auto arms = figure_5();
  arms[4] = in_iterations(2000, arms[4]);
  const auto found = of({}, arms);
  const auto& ternary = arm(claim(found, kFig5), "pactrain-0.5-ternary");
  EXPECT_EQ(ternary.finding, Finding::kContradicted);
  EXPECT_NEAR(*ternary.best().value, 3.4 / 1.2, 1e-9);
  EXPECT_EQ(ternary.best().reasons.at(0).kind, "more-iterations");
}

TEST(Reproduction, OfAnArmThatNeverGotThereIsContradicted) {
  auto arms = figure_5();
  arms[4] = in_iterations(std::nullopt, arms[4]);
  const auto found = of({}, arms);
  const auto& ternary = arm(claim(found, kFig5), "pactrain-0.5-ternary");
  EXPECT_EQ(ternary.finding, Finding::kContradicted);
  EXPECT_EQ(ternary.best().reasons.at(0).kind, "never");
}

TEST(Reproduction, IsNotContradictedWhileAnArmThatThePaperMayHaveMeantIsMissing) {
  const auto found = of({}, {all_reduce(3.4), fp16(1.8), masked(1.8)});
  const auto& answer = claim(found, kFig5);
  EXPECT_EQ(answer.finding, Finding::kNotTestable);
  EXPECT_THAT(answer.why, HasSubstr("no run that measures this has masking with ternary bytes"));
}

TEST(Reproduction, TakesNoArmForThePapersThatIsNot) {
  const auto found =
      of({}, {all_reduce(3.4), masked(1.8), masked_ternary(1.7), masked_ternary(0.6, 25, "lanes")});
  const auto& answer = claim(found, kFig5);
  EXPECT_EQ(answer.finding, Finding::kContradicted);
  EXPECT_EQ(arm(answer, "pactrain-0.5-ternary-lanes").finding, Finding::kReproduced);
  EXPECT_FALSE(arm(answer, "pactrain-0.5-ternary-lanes").is_paper_arm);
}

TEST(Reproduction, ShowsButDoesNotCountOtherSettings) {
  const auto why = [](MadeRun run, std::vector<MadeArm> arms = figure_5()) {
    const auto found = of(run, arms);
    const auto& answer = claim(found, kFig5);
    EXPECT_EQ(answer.finding, Finding::kNotTestable);
    return words_of(answer.arms.front().best().not_counted);
  };
  MadeRun run;
  run.network = "resnet20";
  EXPECT_EQ(why(run), "network resnet20");
  run = {};
  run.topology = "star";
  EXPECT_EQ(why(run), "topology star");
  run = {};
  run.rates_mbit = {100};
  EXPECT_EQ(why(run), "100 Mbit/s");
  run = {};
  run.targets = {0.7};
  EXPECT_EQ(why(run), "no target 84 %");
  EXPECT_EQ(why({}, {all_reduce(3.4), at_ratio(0.8, masked(0.6))}), "ratio 0.8, not 0.5");
}

MadeArm by_score(const std::string& score, MadeArm arm) {
  arm.method["score"] = score;
  return arm;
}

TEST(Reproduction, CountsWhatLearnedFromPretrainedWeights) {
  const auto why = [](const char* start, const char* score, const char* id) {
    MadeRun run;
    run.start = start;
    const auto found = of(run, {all_reduce(3.4), by_score(score, masked(1.8))});
    return words_of(arm(claim(found, id), "pactrain-0.5").best().not_counted);
  };
  EXPECT_EQ(why("random", "grasp", kFig5), "from random weights");
  EXPECT_EQ(why("pretrain", "magnitude", kFig5), "");
  EXPECT_EQ(why("file", "grasp", kFig5), "");
  EXPECT_EQ(why("random", "grasp", "throughput-all-reduce"), "") << "a step takes as long";
}

TEST(Reproduction, TakesWhatPrunesAtRandomForNoArmOfThePaper) {
  const auto found = of({}, {all_reduce(3.4), by_score("random", masked(1.8))});
  const auto& random = arm(claim(found, kFig5), "pactrain-0.5");
  EXPECT_EQ(random.kind, "random");
  EXPECT_FALSE(random.is_paper_arm);
}

TEST(Reproduction, ShowsButDoesNotCountSuspectLinksAndUnfinishedRows) {
  const auto why = [](const auto& spoil) {
    auto run = made_run({}, figure_5());
    spoil(run);
    const auto found = reproduced(named({run}));
    return words_of(arm(claim(found, kFig5), "pactrain-0.5-ternary").best().not_counted);
  };
  EXPECT_EQ(why([](RunResult& run) {
              cells_of(run, "pactrain-0.5-ternary")[0]->link_verdict = {"suspect", {"probe"}};
            }),
            "pactrain-0.5-ternary is suspect");
  EXPECT_EQ(why([](RunResult& run) {
              cells_of(run, "all-reduce")[0]->link_verdict = {"suspect", {"probe"}};
            }),
            "all-reduce is suspect");
  EXPECT_EQ(why([](RunResult& run) {
              cells_of(run, "pactrain-0.5-ternary")[0]->status = CellStatus::kFailed;
            }),
            "failed cells of pactrain-0.5-ternary: 1; pactrain-0.5-ternary is not finished");
}

TEST(Reproduction, OfACpuBoundHostCountsAndSaysSo) {
  auto run = made_run({}, figure_5());
  cells_of(run, "pactrain-0.5")[0]->host_verdict = {"cpu-bound", {"busy"}};
  const auto found = reproduced(named({run}));
  const auto& evidence = arm(claim(found, kFig5), "pactrain-0.5").best();
  EXPECT_TRUE(evidence.cpu_bound);
  EXPECT_THAT(evidence.not_counted, IsEmpty());
  EXPECT_EQ(evidence.reasons.back().kind, "cpu-bound");
}

TEST(Reproduction, DoesNotTakeAnEasyTargetForTheEndOfTraining) {
  MadeRun run;
  run.targets = {0.5};
  const auto found = of(run, figure_5());
  const auto& evidence = claim(found, "best-tta").arms.front().best();
  EXPECT_EQ(words_of(evidence.not_counted), "target at 55.6 % of the baseline's final accuracy");
  run.targets = {0.5, 0.85};
  const auto again = of(run, figure_5());
  EXPECT_THAT(claim(again, "best-tta").arms.front().best().not_counted, IsEmpty());
  EXPECT_EQ(claim(again, "best-tta").arms.front().best().target, 0.85);
}

TEST(Traffic, OfARingIsThatOfAnAllReduce) {
  const auto found = of(composed(), figure_5());
  EXPECT_EQ(claim(found, "all-reduce-compatible").finding, Finding::kReproduced);
  auto run = made_run(composed(), figure_5());
  for (const char* label : {"pactrain-0.5", "pactrain-0.5-ternary"}) {
    for (auto* cell : cells_of(run, label)) cell->payload_bytes_per_iteration /= 4;
  }
  EXPECT_EQ(claim(reproduced(named({run})), "all-reduce-compatible").finding,
            Finding::kContradicted);
}

TEST(Runs, OfDifferentScenariosAreGivenTogether) {
  std::vector<RunResult> runs;
  for (const char* network : {"vgg19_bn", "resnet18", "resnet152", "vit_b_16"}) {
    for (const char* topology : {"chain3", "star"}) {
      auto setting = composed();
      setting.network = network;
      setting.topology = topology;
      setting.rates_mbit = {100, 500, 1000};
      runs.push_back(made_run(setting, figure_5()));
    }
  }
  const auto found = reproduced(named(runs));
  EXPECT_THAT(found.steps, SizeIs(4)) << "a table for each network";
  EXPECT_THAT(found.steps[0].columns, SizeIs(6)) << "three rates on two topologies";
  const auto& plain = arm(claim(found, "best-tta"), "pactrain-0.5");
  EXPECT_EQ(plain.measured, 12U) << "CIFAR-100 was not run";
  EXPECT_EQ(plain.needed, 24U);
  EXPECT_EQ(plain.finding, Finding::kNotTestable);
  const auto& high = claim(found, "throughput-all-reduce");
  EXPECT_EQ(high.arms[0].needed, 12U) << "a step is the same with either data set";
  EXPECT_EQ(high.finding, Finding::kContradicted) << "5.7 and 1.9 everywhere";
}

TEST(Runs, OfOneScenarioAreMerged) {
  MadeRun first;
  MadeRun second;
  second.seeds = {2};
  const auto found = reproduced(named({made_run(first, figure_5()), made_run(second, figure_5())}));
  EXPECT_EQ(claim(found, kFig5).arms.front().best().seeds, 2U);
  EXPECT_THAT(found.runs, SizeIs(2));
}

TEST(Runs, WithSixSeedsHaveIntervals) {
  MadeRun run;
  run.seeds = {1, 2, 3, 4, 5, 6};
  const auto found = of(run, figure_5());
  EXPECT_TRUE(claim(found, kFig5).arms.front().best().interval.has_value());
}

TEST(Counts, AreOfAllClaimsThoseThatNoRunAnswersIncluded) {
  const auto found = of({}, figure_5());
  EXPECT_EQ(found.count(Finding::kReproduced) + found.count(Finding::kContradicted) +
                found.count(Finding::kNotTestable),
            pactrain().claims.size() + pactrain().untestable.size());
  EXPECT_TRUE(found.answers_any());
  MadeRun other;
  other.network = "mlp";
  EXPECT_FALSE(of(other, {all_reduce(1), fp16(1)}).answers_any());
}

TEST(Reproduction, ShowsButDoesNotCountOtherLinks) {
  const auto why = [](const char* key, const Json& value) {
    auto run = made_run({}, figure_5());
    run.scenario["network"]["links"][0][key] = value;
    const auto found = reproduced(named({run}));
    return words_of(claim(found, kFig5).arms.front().best().not_counted);
  };
  EXPECT_EQ(why("delay_ms", 50), "delayed packets");
  EXPECT_EQ(why("groups", {1, 1, 6}), "groups of [1,1,6]");
}

}  // namespace
}  // namespace pacbench::reproduce::reproduction_test
