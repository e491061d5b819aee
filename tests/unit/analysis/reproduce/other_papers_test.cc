// Claims of papers other than PacTrain's, and the quantities that only they ask for.
#include <gtest/gtest.h>

#include "tests/unit/analysis/reproduce/reproduced.h"

namespace pacbench::reproduce::other_papers_test {
namespace {

/// Judges the claim that the entries which top-k's workers choose build up. In the run that answers
/// it, each worker chooses 1 % of the entries, and the sum of all workers has `density`.
Finding top_k_builds_up(int workers, double density) {
  MadeRun setting;
  setting.workers = workers;
  auto run = made_run(setting, {all_reduce(3.4), top_k(0.01, 2.6)});
  for (auto* cell : cells_of(run, "topk-0.01")) cell->density = density;
  const auto found = reproduced("exdyna", run);
  return claim(found, "topk-builds-up").finding;
}

TEST(BuildUp, IsTheSumsDensityOverTheRatio) {
  EXPECT_EQ(top_k_builds_up(16, 0.021), Finding::kReproduced);
  EXPECT_EQ(top_k_builds_up(16, 0.019), Finding::kContradicted);
  EXPECT_EQ(top_k_builds_up(8, 0.021), Finding::kNotTestable);
}

/// Judges the claim that all workers of ExDyna choose equally many entries. The run that answers it
/// is of mode learn. Each of its iterations hands `gathered` bytes to an all-gather and 1600 to an
/// all-reduce.
Finding choice_is_balanced(double gathered, int workers = 16) {
  MadeRun setting;
  setting.workers = workers;
  setting.mode = Mode::kLearn;
  auto exdyna = all_reduce(2);
  exdyna.method = {{"name", "exdyna"}, {"label", "exdyna"}, {"ratio", 0.01}};
  auto run = made_run(setting, {all_reduce(3.4), exdyna});
  for (auto* cell : cells_of(run, "exdyna")) {
    cell->payload_bytes_per_iteration = gathered + 1600;
    cell->expected_bytes_per_iteration =
        gathered * (workers - 1) + 1600. * 2 * (workers - 1) / workers;
  }
  const auto found = reproduced("exdyna", run);
  return claim(found, "balanced-choice").finding;
}

TEST(Imbalance, IsTheLongestListOverTheMeanOne) {
  EXPECT_EQ(choice_is_balanced(100), Finding::kReproduced);
  EXPECT_EQ(choice_is_balanced(119), Finding::kReproduced);
  EXPECT_EQ(choice_is_balanced(130), Finding::kContradicted);
  EXPECT_EQ(choice_is_balanced(100, 8), Finding::kNotTestable);
}

/// Judges the claim on PruneX's volume. In the run that answers it, PruneX sends `bytes` between
/// sites in each iteration (nothing: unknown), and 100 bytes without pruning.
Finding volume_between_sites(std::optional<double> bytes) {
  auto dense = all_reduce(3.4);
  dense.method = {{"name", "prunex"}, {"label", "dense"}, {"pruning_ratio", 0}};
  auto pruned = all_reduce(2);
  pruned.method = {{"name", "prunex"}, {"label", "pruned"}, {"pruning_ratio", 0.6}};
  auto run = made_run({}, {dense, pruned});
  for (auto* cell : cells_of(run, "dense")) cell->trunk_bytes_per_iteration = 100;
  for (auto* cell : cells_of(run, "pruned")) cell->trunk_bytes_per_iteration = bytes;
  const auto found = reproduced("prunex", run);
  return claim(found, "volume-between-sites").finding;
}

TEST(TrunkBytes, AreThoseBetweenSites) {
  EXPECT_EQ(volume_between_sites(40), Finding::kReproduced);
  EXPECT_EQ(volume_between_sites(60), Finding::kContradicted);
  EXPECT_EQ(volume_between_sites(std::nullopt), Finding::kNotTestable);
}

/// Judges the claim that PruneX scales better than dense exchange by a run of 64 workers. Its
/// median step has no exchange and takes a tenth of all-reduce's; all its steps together take the
/// share `share` of all-reduce's.
Finding prunex_is_faster(double share) {
  MadeRun setting;
  setting.workers = 64;
  auto prunex = all_reduce(2);
  prunex.method = {{"name", "prunex"}, {"label", "prunex"}};
  auto run = made_run(setting, {all_reduce(3.4), prunex});
  for (auto* cell : cells_of(run, "all-reduce")) {
    cell->iterations = 8;
    cell->time_per_iteration_s = 0.1;
    cell->training_s = 8 * 0.1;
  }
  for (auto* cell : cells_of(run, "prunex")) {
    cell->iterations = 8;
    cell->time_per_iteration_s = 0.01;
    cell->training_s = share * 8 * 0.1;
  }
  return claim(reproduced("prunex", run), "scaling-over-dense").finding;
}

TEST(MeanThroughput, CountsTheExchangesThatAMedianIterationLacks) {
  EXPECT_EQ(prunex_is_faster(0.8), Finding::kReproduced);
  EXPECT_EQ(prunex_is_faster(0.9), Finding::kContradicted);
}

/// Judges the claim that DGC works with all-reduce by a run in which a worker sends `sent_bytes`
/// for each 100 bytes that it hands over. A ring of eight sends 175.
Finding dgc_works_with_all_reduce(double sent_bytes) {
  auto dgc = all_reduce(2);
  dgc.method = {{"name", "dgc"}, {"label", "dgc"}};
  auto run = made_run({}, {all_reduce(3.4), dgc});
  for (auto* cell : cells_of(run, "dgc")) {
    cell->payload_bytes_per_iteration = 100;
    cell->measured_bytes_per_iteration = sent_bytes;
  }
  const auto found = reproduced("table1", run);
  return claim(found, "dgc-compatible").finding;
}

TEST(RingTraffic, IsAtMostTwiceARingsForWhatWorksWithAllReduce) {
  EXPECT_EQ(dgc_works_with_all_reduce(350), Finding::kReproduced);
  EXPECT_EQ(dgc_works_with_all_reduce(360), Finding::kContradicted);
}

}  // namespace
}  // namespace pacbench::reproduce::other_papers_test
