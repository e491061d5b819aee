// PacTrain's Table 1, filled by made-up runs.
#include "analysis/reproduce/table1.h"

#include <gmock/gmock.h>

#include "tests/unit/analysis/reproduce/reproduced.h"

namespace pacbench::reproduce::table1_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Table1Row& row(const Table1& table, const std::string& label) {
  for (const auto& each : table.rows) {
    if (each.label == label) return each;
  }
  throw std::out_of_range{label};
}

std::vector<Table1> of(const MadeRun& run, const std::vector<MadeArm>& arms) {
  return reproduced(named({made_run(run, arms)})).tables_1;
}

TEST(Table1, HasWhatWasMeasuredOfEveryMethod) {
  const auto tables = of({}, {all_reduce(3.4), in_iterations(2000, masked_ternary(0.6))});
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_THAT(tables[0].targets, ElementsAre(0.84));
  const auto& ternary = row(tables[0], "pactrain-0.5-ternary").times.at(0);
  EXPECT_EQ(ternary.iterations, 2000);
  EXPECT_DOUBLE_EQ(*ternary.iterations_ratio, 0.5);
  EXPECT_DOUBLE_EQ(*ternary.tta_s, 2000 * 0.6);
  EXPECT_DOUBLE_EQ(ternary.speed_up->value, 3.4 / 1.2);
  EXPECT_EQ(row(tables[0], "all-reduce").times[0].iterations_ratio, 1);
}

TEST(Table1, HasEachTargetThatAllReduceGotTo) {
  MadeRun run;
  run.targets = {0.5, 0.84, 0.9};
  auto made = made_run(run, {all_reduce(3.4), masked(1.8)});
  auto& missed = cells_of(made, "all-reduce")[0]->targets[2];
  missed.tta_s = std::nullopt;
  missed.iterations = std::nullopt;
  const auto table = reproduced(named({made})).tables_1[0];
  EXPECT_THAT(table.targets, ElementsAre(0.5, 0.84));
  EXPECT_THAT(row(table, "pactrain-0.5").times, SizeIs(2));
}

TEST(Table1, SaysWhatIsLosslessAndStatelessWithItsOptions) {
  const auto table =
      of({}, {all_reduce(3.4), top_k(0.1, 2.6), masked(1.8), masked_ternary(0.6)})[0];
  EXPECT_TRUE(row(table, "pactrain-0.5").facts.traits->lossless);
  EXPECT_TRUE(row(table, "pactrain-0.5").facts.traits->stateless);
  EXPECT_FALSE(row(table, "pactrain-0.5-ternary").facts.traits->lossless);
  EXPECT_FALSE(row(table, "topk-0.1").facts.traits->stateless);
}

TEST(Table1, CallsWhatSendsAsAnAllGatherDoesIncompatible) {
  // An all-gather of eight sends the payload to seven others; a ring would send 1.75 payloads.
  auto run = made_run({}, {all_reduce(3.4), top_k(0.1, 2.6, 70)});
  for (auto* cell : cells_of(run, "topk-0.1")) cell->payload_bytes_per_iteration = 10e6;
  const auto table = reproduced(named({run})).tables_1[0];
  EXPECT_EQ(row(table, "all-reduce").facts.all_reduce_compatible(), true);
  EXPECT_DOUBLE_EQ(*row(table, "topk-0.1").facts.ring_traffic, 4);
  EXPECT_DOUBLE_EQ(*row(table, "all-reduce").facts.ring_traffic, 1);
  EXPECT_EQ(row(table, "topk-0.1").facts.all_reduce_compatible(), false);
}

TEST(Table1, CallsARingOfFourWorkersCompatible) {
  // A ring of four sends 1.5 times the payload; an all-gather would send it three times.
  auto run = made_run({}, {all_reduce(3.4), masked(1.8)});
  run.scenario["workers"] = 4;
  for (auto* cell : cells_of(run, "pactrain-0.5")) {
    cell->payload_bytes_per_iteration = 10e6;
    cell->measured_bytes_per_iteration = 15e6;
  }
  const auto table = reproduced(named({run})).tables_1[0];
  EXPECT_DOUBLE_EQ(*row(table, "pactrain-0.5").facts.ring_traffic, 1);
  EXPECT_EQ(row(table, "pactrain-0.5").facts.all_reduce_compatible(), true);
}

TEST(Table1, ShowsWhatNeverGotThere) {
  const auto found = reproduced(
      named({made_run({}, {all_reduce(3.4), in_iterations(std::nullopt, masked(1.8))})}));
  EXPECT_FALSE(row(found.tables_1[0], "pactrain-0.5").times[0].tta_s);
  EXPECT_FALSE(row(found.tables_1[0], "pactrain-0.5").times[0].iterations);
}

TEST(Table1, HoldsNothingAgainstALinkThatWasNotAsDeclared) {
  auto run = made_run({}, {all_reduce(3.4), masked(1.8)});
  cells_of(run, "pactrain-0.5")[0]->link_verdict = {"suspect", {"probe"}};
  const auto found = reproduced(named({run}));
  const auto& suspect = row(found.tables_1[0], "pactrain-0.5");
  EXPECT_TRUE(suspect.suspect);
  EXPECT_FALSE(suspect.times[0].speed_up);
  EXPECT_FALSE(suspect.times[0].iterations_ratio);
}

TEST(Table1, IsOfTimedLinksWithACurveThatGotToATarget) {
  const std::vector<MadeArm> arms{all_reduce(3.4), masked(1.8)};
  MadeRun learn;
  learn.mode = Mode::kLearn;
  EXPECT_THAT(of(learn, arms), IsEmpty());
  MadeRun steps;
  steps.mode = Mode::kCompose;
  EXPECT_THAT(of(steps, arms), IsEmpty());
  EXPECT_THAT(of({}, {in_iterations(std::nullopt, all_reduce(3.4)), masked(1.8)}), IsEmpty());
}

TEST(Table1, KnowsNoTraitsOfAMethodThatThisBuildLacks) {
  auto arm = masked(1.8);
  arm.method = {{"name", "gone"}, {"label", "gone"}};
  EXPECT_FALSE(row(of({}, {all_reduce(3.4), arm})[0], "gone").facts.traits);
}

}  // namespace
}  // namespace pacbench::reproduce::table1_test
