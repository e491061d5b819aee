// Compares PruneX with plain ADMM, and tests its fixed points, masks, bytes and refusals.
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>

#include "tests/unit/trainer/exchange/plain_admm.h"

namespace pacbench::trainer::test::prunex_test {
namespace {

using plain_admm::Case;
using plain_admm::kLocalSteps;
using plain_admm::kLr;
using plain_admm::Reference;
using plain_admm::some_weights;
using plain_admm::Tensors;
using plain_admm::three_layers;
using ::testing::HasSubstr;

/// The tensors that a method keeps, by name.
struct Remembered final : StateVisitor {
  std::map<std::string, at::Tensor> tensors;
  void tensor(const std::string& name, at::Tensor& value) override { tensors[name] = value; }
  void number(const std::string&, std::int64_t&) override {}
};

/// The method on all ranks, with SGD as optimiser.
class Workers {
 public:
  explicit Workers(const Case& of, const Layout& layout = three_layers())
      : ranks_{ranks_of(of.method(), of.ranks, layout, run())} {
    const auto begin = some_weights(layout, 99);
    for (int rank = 0; rank < of.ranks; ++rank) {
      weights.push_back({});
      for (const auto& weight : begin) weights.back().push_back(weight.clone());
      wanted.push_back(some_weights(layout, rank));
      ranks_.engine(rank).method().begin(begin);
    }
    ranks_.settle(layout);
  }

  void iterate() {
    ++iteration_;
    std::vector<std::future<void>> all;
    for (std::size_t rank = 0; rank < weights.size(); ++rank) {
      all.push_back(std::async(std::launch::async, [this, rank] { iterate(rank); }));
    }
    for (auto& one : all) one.get();
  }

  const Tensors& global(int rank = 0) { return *ranks_.engine(rank).method().consensus(); }

  Remembered remembered(int rank) {
    Remembered found;
    ranks_.engine(rank).method().visit_state(found);
    return found;
  }

  /// The payloads of all of a rank's calls until now, in order.
  std::vector<std::int64_t> payloads(int rank) {
    std::vector<std::int64_t> bytes;
    for (const auto& call : ranks_.engine(rank).trace().back().collectives) {
      bytes.push_back(call.payload_bytes);
    }
    return bytes;
  }

  std::vector<Tensors> weights;  ///< by rank and parameter
  std::vector<Tensors> wanted;

 private:
  static RunFacts run() {
    RunFacts run;
    run.max_iterations = 24;
    return run;
  }

  void iterate(std::size_t rank) {
    auto& own = weights[rank];
    Tensors gradients;
    for (std::size_t i = 0; i < own.size(); ++i) gradients.push_back(own[i] - wanted[rank][i]);
    OptimizerView view{own, gradients, {iteration_, kLr, kLr}};
    auto& engine = ranks_.engine(static_cast<int>(rank));
    EXPECT_FALSE(engine.optimizer_step(view));
    for (std::size_t i = 0; i < own.size(); ++i) own[i].sub_(gradients[i], kLr);
    engine.step_finished(view);
  }

  ThreadRanks ranks_;
  std::int64_t iteration_ = 0;
};

void expect_near(const Tensors& found, const Tensors& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(at::allclose(found[i], expected[i], 1e-4, 1e-5)) << "parameter " << i;
  }
}

TEST(PruneX, IsTwoLevelConsensusAdmmWithMasksThatChangeAndFreeze) {
  for (const char* structure : {"filters", "channels", "both"}) {
    for (const auto& site_of : std::vector<std::vector<int>>{{0, 0, 1, 1}, {0, 0, 1, 1, 1}}) {
      Case of;
      of.structure = structure;
      of.ranks = static_cast<int>(site_of.size());
      SCOPED_TRACE(std::string{structure} + ", " + std::to_string(of.ranks) + " ranks");
      Workers workers{of};
      Reference reference{of, site_of};
      for (int iteration = 0; iteration < 24; ++iteration) {
        workers.iterate();
        reference.iterate();
        expect_near(workers.global(), reference.g);
      }
      EXPECT_EQ(workers.global()[2].ne(0).sum().item<std::int64_t>(),
                reference.mask[2].sum().item<std::int64_t>());
    }
  }
}

TEST(PruneX, WithoutPruningEndsAtTheMeanThatAllWorkersWant) {
  Case of;
  of.ranks = 5;
  of.pruning_ratio = 0;
  of.rho_growth = 1;
  Workers workers{of};
  for (int iteration = 0; iteration < 600; ++iteration) workers.iterate();
  const auto state = workers.remembered(0).tensors;
  const auto other = workers.remembered(4).tensors;
  for (std::size_t i = 0; i < 4; ++i) {
    auto mean = at::zeros_like(workers.wanted[0][i]);
    for (const auto& rank : workers.wanted) mean += rank[i] / 5;
    EXPECT_TRUE(at::allclose(workers.global()[i], mean, 1e-3, 1e-3)) << i;
    for (const auto& rank : workers.weights) {
      EXPECT_TRUE(at::allclose(rank[i], mean, 1e-3, 1e-3)) << i;
    }
    // At the fixed point rho_inside times the sum of a site's rank duals equals rho_between times
    // the site's dual, and the duals of the two sites cancel.
    const auto name = "site_dual/" + std::to_string(i);
    EXPECT_TRUE(at::allclose(state.at(name), -other.at(name), 1e-3, 1e-3)) << i;
    auto pull = at::zeros_like(mean);
    for (const int rank : {0, 1}) {
      pull += workers.remembered(rank).tensors.at("rank_dual/" + std::to_string(i));
    }
    EXPECT_TRUE(at::allclose(of.rho_inside * pull, of.rho_between * state.at(name), 1e-3, 1e-3));
  }
}

TEST(PruneX, EndsAtThatMeanInTheKeptFiltersAndAtZeroInTheOthers) {
  Case of;
  of.rho_growth = 1;
  Workers workers{of};
  for (int iteration = 0; iteration < 600; ++iteration) workers.iterate();
  for (const std::size_t layer : {0, 2}) {
    auto mean = at::zeros_like(workers.wanted[0][layer]);
    for (const auto& rank : workers.wanted) mean += rank[layer] / 4;
    const auto filters = workers.remembered(0).tensors.at("filters/" + std::to_string(layer));
    EXPECT_EQ(filters.numel(), mean.size(0) / 2);
    const auto expected =
        at::zeros_like(mean).index_copy_(0, filters, mean.index_select(0, filters));
    EXPECT_TRUE(at::allclose(workers.global()[layer], expected, 1e-3, 1e-3)) << layer;
    for (const auto& rank : workers.weights) {
      EXPECT_TRUE(at::allclose(rank[layer], expected, 1e-3, 1e-3)) << layer;
    }
  }
}

TEST(PruneX, GivesAllRanksTheSameMasksAndTheSameBits) {
  Case of;
  of.ranks = 6;
  of.sites = 3;
  of.structure = "both";
  Workers workers{of};
  for (int iteration = 0; iteration < 18; ++iteration) {
    workers.iterate();
    const auto expected = workers.remembered(0).tensors;
    for (int rank = 1; rank < of.ranks; ++rank) {
      const auto found = workers.remembered(rank).tensors;
      for (const auto& [name, value] : expected) {
        // Ranks 0 and 1 share a site. Each rank has its own rank duals.
        const bool is_site = name.starts_with("site");
        if (name.starts_with("rank") || (is_site && rank > 1) || !value.defined()) continue;
        EXPECT_TRUE(at::equal(found.at(name), value)) << name << " of rank " << rank;
      }
    }
  }
}

TEST(PruneX, SendsBetweenSitesWhatPruningLeavesAndScoresUntilMasksFreeze) {
  Case of;
  Workers workers{of};
  constexpr std::int64_t kSecondBucket = 4 * (12 / 2 * 5 + 12);
  constexpr std::int64_t kFirstBucket = 4 * (40 + 8 / 2 * 12);
  constexpr std::int64_t kScores = 4 * (12 + 8);
  const std::vector<std::int64_t> inside{4 * 136, 0, 4 * 72, 0};
  const std::vector<std::int64_t> scores{kScores, kScores, 0};
  const std::vector<std::int64_t> between{kFirstBucket,  kFirstBucket,  0,
                                          kSecondBucket, kSecondBucket, 0};
  std::vector<std::int64_t> expected;
  const auto add = [&](const std::vector<std::int64_t>& calls) {
    expected.insert(expected.end(), calls.begin(), calls.end());
  };
  for (int iteration = 1; iteration <= 15; ++iteration) {
    workers.iterate();
    if (iteration % kLocalSteps != 0) continue;
    add(inside);
    if (iteration <= 12) add(scores);
    add(between);
    EXPECT_EQ(workers.payloads(0), expected) << iteration;
  }
  // Rank 1 leads no site.
  EXPECT_EQ(workers.payloads(1)[4], 0);
  EXPECT_EQ(workers.payloads(1)[5], kScores);
}

TEST(PruneX, RefusesMoreSitesThanWorkersAndAModelWithoutALayerToPrune) {
  const auto failure_of = [](const Case& of, const Layout& layout) {
    try {
      const Workers workers{of, layout};
    } catch (const std::invalid_argument& error) {
      return std::string{error.what()};
    }
    return std::string{"taken"};
  };
  Case of;
  of.ranks = 2;
  of.sites = 3;
  EXPECT_THAT(failure_of(of, three_layers()), HasSubstr("found 2 workers, expected at least one"));
  of.sites = 2;
  auto no_layer = three_layers();
  for (auto& bucket : no_layer) {
    for (auto& slice : bucket.slices) slice.prunable = slice.parameter == 3;
  }
  EXPECT_THAT(failure_of(of, no_layer), HasSubstr("found no layer with a filter or channel"));
  of.pruning_ratio = 0;
  EXPECT_EQ(failure_of(of, no_layer), "taken") << "nothing is to be pruned";
  of.pruning_ratio = 0.01;
  EXPECT_THAT(failure_of(of, three_layers()), HasSubstr("a hidden layer of more than 50 filters"));
}

}  // namespace
}  // namespace pacbench::trainer::test::prunex_test
