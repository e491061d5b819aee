// Methods that compute the plain mean by other ways (tree, hierarchical, parameter server,
// OmniReduce, EmbRace and Zen), and the bytes that they send.
#include <gtest/gtest.h>

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::lossless_routes_test {
namespace {

/// The bytes that a rank sends for the first bucket, as its group counted them.
std::int64_t sent_bytes_of(ThreadRanks& ranks, int rank) {
  std::int64_t bytes = 0;
  for (const auto& call : ranks.engine(rank).trace().front().collectives) bytes += call.sent_bytes;
  return bytes;
}

class LosslessRoute : public ::testing::TestWithParam<Choice> {};

TEST_P(LosslessRoute, GivesTheMeanAsItIs) {
  const auto layout = layout_of({{300}, {1}, {40, 700}});
  for (const int size : {2, 4, 8}) {
    SCOPED_TRACE(size);
    auto ranks = ranks_of(GetParam(), size, layout);
    for (int iteration = 0; iteration < 3; ++iteration) {
      auto gradients = integer_gradients(layout, size, 20, iteration);
      for (auto& rank : gradients) rank[2].narrow(0, 100, 600).zero_();
      const auto means = ranks.exchange(gradients);
      for (std::size_t bucket = 0; bucket < layout.size(); ++bucket) {
        EXPECT_TRUE(at::equal(means[1][bucket], dense_mean(gradients, bucket)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LosslessRoute,
                         ::testing::Values(choice("tree"), choice("hierarchical"),
                                           choice("parameter-server"),
                                           choice("parameter-server", {{"servers", "one"}}),
                                           choice("omnireduce"), choice("zen")),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::erase(name, '-');
                           return name + std::to_string(test.index);
                         });

TEST(Tree, SendsTheWholeGradientOnceUpAndToEachChild) {
  const auto layout = layout_of({{100}});
  auto ranks = ranks_of(choice("tree"), 8, layout);
  ranks.exchange(integer_gradients(layout, 8, 20, 1));
  EXPECT_EQ(sent_bytes_of(ranks, 0), 3 * 400) << "three children";
  EXPECT_EQ(sent_bytes_of(ranks, 7), 400) << "a leaf";
}

TEST(Hierarchical, CrossesBetweenSitesByTheirLeadersAlone) {
  const auto layout = layout_of({{120}});
  auto ranks = ranks_of(choice("hierarchical", {{"sites", 2}}), 6, layout);
  ranks.exchange(integer_gradients(layout, 6, 20, 1));
  const auto inside = 2 * 2 * 480 / 3;
  EXPECT_EQ(sent_bytes_of(ranks, 1), inside);
  EXPECT_EQ(sent_bytes_of(ranks, 3), inside + 480 + 2 * 480) << "leaders' sum, two children";
}

TEST(Hierarchical, RefusesMoreSitesThanWorkers) {
  EXPECT_THROW(ranks_of(choice("hierarchical", {{"sites", 4}}), 3, layout_of({{10}})),
               std::invalid_argument);
}

TEST(ParameterServer, LoadsOneServerWithWhatAllWorkersGet) {
  const auto layout = layout_of({{80}});
  const auto gradients = integer_gradients(layout, 8, 20, 1);
  auto one = ranks_of(choice("parameter-server", {{"servers", "one"}}), 8, layout);
  one.exchange(gradients);
  EXPECT_EQ(sent_bytes_of(one, 0), 7 * 320);
  EXPECT_EQ(sent_bytes_of(one, 5), 320);
  auto all = ranks_of(choice("parameter-server"), 8, layout);
  all.exchange(gradients);
  EXPECT_EQ(sent_bytes_of(all, 0), 2 * 7 * 40);
}

TEST(OmniReduce, SendsTheBlocksThatAreNotZeroAndGetsTheirUnion) {
  // There are ten blocks. Rank r has values only in block r and in the last block.
  const auto layout = layout_of({{2560}});
  Gradients gradients;
  for (int rank = 0; rank < 4; ++rank) {
    auto gradient = at::zeros({2560});
    gradient[256 * rank + 3] = 1;
    gradient[2559] = 1;
    gradients.push_back({gradient});
  }
  auto ranks = ranks_of(choice("omnireduce"), 4, layout);
  ranks.exchange(gradients);
  // The union's five blocks are divided among the ranks as 1, 1, 1, 2. Rank 0's block is in its own
  // share.
  const auto block = 256 * 4;
  EXPECT_EQ(sent_bytes_of(ranks, 0), 3 * 4 + block + 3 * block);
  EXPECT_EQ(sent_bytes_of(ranks, 3), 3 * 4 + 0 + 3 * 2 * block);
}

TEST(OmniReduce, SendsBlocksOfValuesWhoseSquaresAreZero) {
  auto ranks = ranks_of(choice("omnireduce"), 2, layout_of({{300}}));
  const auto mean = ranks.exchange(Gradients(2, {at::full({300}, 1e-30F)}))[0][0];
  EXPECT_TRUE(at::equal(mean, at::full({300}, 1e-30F)));
}

/// Two embeddings of eight rows, a vector between them, and a bucket of vectors alone.
Layout layout_with_embeddings() {
  auto layout = layout_of({{24, 5, 40}, {7, 3}});
  layout[0].slices[0].shape = {8, 3};
  layout[0].slices[2].shape = {8, 5};
  for (const std::size_t slice : {0U, 2U}) layout[0].slices[slice].embedding = true;
  return layout;
}

TEST(EmbRace, GivesTheMeanAsItIsOfRowsAndOfWhatLiesBetweenThem) {
  const auto layout = layout_with_embeddings();
  for (const int size : {2, 3, 8}) {
    SCOPED_TRACE(size);
    auto ranks = ranks_of(choice("embrace"), size, layout);
    for (int iteration = 0; iteration < 4; ++iteration) {
      auto gradients = integer_gradients(layout, size, 20, iteration);
      // Rank r has a gradient in row r of the first embedding. In the last iteration no rank has a
      // gradient in the second embedding.
      for (int rank = 0; rank < size; ++rank) {
        auto table = gradients[static_cast<std::size_t>(rank)][0].narrow(0, 0, 24).view({8, 3});
        for (int row = 0; row < 8; ++row) {
          if (row != rank) table[row].zero_();
        }
        if (iteration == 3) gradients[static_cast<std::size_t>(rank)][0].narrow(0, 29, 40).zero_();
      }
      const auto means = ranks.exchange(copy_of(gradients));
      for (std::size_t bucket = 0; bucket < layout.size(); ++bucket) {
        for (int rank = 0; rank < size; ++rank) {
          EXPECT_TRUE(at::equal(means[static_cast<std::size_t>(rank)][bucket],
                                dense_mean(gradients, bucket)));
        }
      }
    }
  }
}

TEST(EmbRace, SendsTheRowsThatWereLookedUpAndAllElseByOneAllReduce) {
  auto layout = layout_of({{1000, 6}});
  layout[0].slices[0].shape = {100, 10};
  layout[0].slices[0].embedding = true;
  Gradients gradients;
  for (int rank = 0; rank < 4; ++rank) {
    auto gradient = at::zeros({1006});
    gradient[10 * (20 * rank)] = 1;  // row 0, 20, 40 or 60
    gradient[990] = 1;               // row 99
    gradients.push_back({gradient});
  }
  auto ranks = ranks_of(choice("embrace"), 4, layout);
  ranks.exchange(gradients);
  // The union's five rows are divided among the ranks as 1, 1, 1 and 2; rank 0 adds its own row 0.
  const auto row = 10 * 4;
  const auto bits = 3 * 16;
  const auto dense = 2 * 3 * 6;  // of a ring among four: 2 · 3 / 4 of 6 floats
  EXPECT_EQ(sent_bytes_of(ranks, 0), bits + row + 3 * row + dense);
  EXPECT_EQ(sent_bytes_of(ranks, 3), bits + 0 + 3 * 2 * row + dense);
}

TEST(Zen, SpreadsClusteredEntriesEvenlyOverTheRanks) {
  // All entries are in the first tenth. Servers of equal ranges would mostly be idle.
  constexpr std::int64_t kElements = 8000;
  const auto layout = layout_of({{kElements}});
  auto gradient = at::zeros({kElements});
  gradient.narrow(0, 0, kElements / 10).fill_(1);
  auto ranks = ranks_of(choice("zen"), 4, layout);
  ranks.exchange(Gradients(4, {gradient}));
  std::int64_t least = kElements * 1000;
  std::int64_t most = 0;
  for (int rank = 0; rank < 4; ++rank) {
    // In the last call this server returns its sums and a bitmap to the three others.
    const auto back = ranks.engine(rank).trace().front().collectives.back().sent_bytes;
    least = std::min(least, back);
    most = std::max(most, back);
  }
  // A server has 200 entries and 2000 bits in the mean; the deviation of the 200 is 12.
  EXPECT_NEAR(static_cast<double>(least), 3 * (4 * 200 + 250), 3 * 4 * 5 * 13);
  EXPECT_NEAR(static_cast<double>(most), 3 * (4 * 200 + 250), 3 * 4 * 5 * 13);
}

}  // namespace
}  // namespace pacbench::trainer::test::lossless_routes_test
