// Methods that compute the plain mean by other ways (tree, hierarchical, parameter server,
// OmniReduce, EmbRace and Zen) or by keeping all entries, and the bytes that they send.
#include <gtest/gtest.h>

#include "tests/unit/trainer/arms.h"
#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::lossless_routes_test {
namespace {

/// The bytes that a rank sends for the first bucket, as its group counted them.
std::int64_t sent_bytes_of(const ThreadRanks& ranks, int rank) {
  std::int64_t bytes = 0;
  for (const auto& call : ranks.calls(rank)) bytes += call.sent_bytes;
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
      EXPECT_TRUE(equal_bits(ranks.exchange(gradients)[1], dense_means(gradients)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LosslessRoute,
                         ::testing::Values(choice("all-reduce"), choice("tree"),
                                           choice("hierarchical"), choice("parameter-server"),
                                           choice("parameter-server", {{"servers", "one"}}),
                                           choice("omnireduce"), choice("zen"),
                                           choice("topk", {{"ratio", 1.0}}),
                                           choice("ef21", {{"ratio", 1.0}})),
                         arm_name);

TEST(Routes, SendAsManyBytesAsTheirShapeTakes) {
  const auto two_sites = choice("hierarchical", {{"sites", 2}});
  const auto one_server = choice("parameter-server", {{"servers", "one"}});
  constexpr std::int64_t kInside = 2 * 2 * 480 / 3;  // a ring of three
  struct Sent {
    Choice method;
    int size;
    std::int64_t elements;
    int rank;
    std::int64_t bytes;
  };
  const std::vector<Sent> all{
      {choice("tree"), 8, 100, 0, 3 * 400},  // three children
      {choice("tree"), 8, 100, 7, 400},      // a leaf
      {two_sites, 6, 120, 1, kInside},
      {two_sites, 6, 120, 3, kInside + 480 + 2 * 480},  // leaders' sum, two children
      {one_server, 8, 80, 0, 7 * 320},
      {one_server, 8, 80, 5, 320},
      {choice("parameter-server"), 8, 80, 0, 2 * 7 * 40},
  };
  for (const auto& [method, size, elements, rank, bytes] : all) {
    auto ranks = ranks_of(method, size, layout_of({{elements}}));
    ranks.exchange(ranks.gradients(20, 1));
    EXPECT_EQ(sent_bytes_of(ranks, rank), bytes) << method.name << ", rank " << rank;
  }
}

TEST(Hierarchical, RefusesMoreSitesThanWorkers) {
  EXPECT_THROW(ranks_of(choice("hierarchical", {{"sites", 4}}), 3, layout_of({{10}})),
               std::invalid_argument);
}

/// Gradients of four ranks with two entries: each has one of its own, `apart` from the others', and
/// all have one near the end.
Gradients one_each_and_a_last(std::int64_t elements, std::int64_t apart) {
  Gradients gradients;
  for (int rank = 0; rank < 4; ++rank) {
    auto gradient = at::zeros({elements});
    gradient[rank * apart + 3] = 1;
    gradient[elements - 10] = 1;
    gradients.push_back({gradient});
  }
  return gradients;
}

TEST(OmniReduce, SendsTheBlocksThatAreNotZeroAndGetsTheirUnion) {
  // There are ten blocks. Rank r has values only in block r and in the last block.
  auto ranks = ranks_of(choice("omnireduce"), 4, layout_of({{2560}}));
  ranks.exchange(one_each_and_a_last(2560, 256));
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
      for (std::size_t rank = 0; rank < gradients.size(); ++rank) {
        const auto own_row = at::arange(8).eq(static_cast<int>(rank)).unsqueeze(1);
        gradients[rank][0].narrow(0, 0, 24).view({8, 3}).mul_(own_row);
        if (iteration == 3) gradients[rank][0].narrow(0, 29, 40).zero_();
      }
      const auto expected = dense_means(gradients);
      for (const auto& means : ranks.exchange(gradients)) {
        EXPECT_TRUE(equal_bits(means, expected));
      }
    }
  }
}

TEST(EmbRace, SendsTheRowsThatWereLookedUpAndAllElseByOneAllReduce) {
  auto layout = layout_of({{1000, 6}});
  layout[0].slices[0].shape = {100, 10};
  layout[0].slices[0].embedding = true;
  auto ranks = ranks_of(choice("embrace"), 4, layout);
  ranks.exchange(one_each_and_a_last(1006, 200));  // in rows 0, 20, 40 or 60, and in row 99
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
  for (int rank = 0; rank < 4; ++rank) {
    // In the last call this server returns its sums and a bitmap to the three others. It has 200
    // entries and 2000 bits in the mean; the deviation of the 200 is 12.
    const auto back = static_cast<double>(ranks.calls(rank).back().sent_bytes);
    EXPECT_NEAR(back, 3 * (4 * 200 + 250), 3 * 4 * 5 * 13) << "rank " << rank;
  }
}

}  // namespace
}  // namespace pacbench::trainer::test::lossless_routes_test
