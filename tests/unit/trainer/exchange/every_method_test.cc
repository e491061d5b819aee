// The tests that all methods have to pass. Arms come from tests/unit/trainer/arms.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/trainer/arms.h"
#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "tests/unit/trainer/exchange/trace_of_nan.h"
#include "tests/unit/trainer/print_method.h"

namespace pacbench::trainer::test::every_method_test {
namespace {

/// A layout of vectors, a matrix that is an embedding, and a parameter with a single element.
Layout layout_with_a_matrix() {
  auto layout = layout_of({{40, 8}, {160}, {25, 1, 5}});
  layout[1].slices[0].shape = {16, 10};
  layout[1].slices[0].embedding = true;
  return layout;
}

const Layout kLayout = layout_with_a_matrix();

class EveryMethod : public ::testing::TestWithParam<Choice> {
 protected:
  static ThreadRanks ranks(int size, const Layout& layout = kLayout) {
    return ThreadRanks{size, layout, [] {
                         RunFacts run;
                         run.optimizer.momentum = 0.9;
                         return make_method(GetParam(), run);
                       }};
  }

  /// Methods whose ranks train alone for a while agree on weights, not on gradients.
  static bool leaves_mean() { return make_method(GetParam())->leaves_mean(); }

  /// Fails with the first rank that differs from rank 0. Where !leaves_mean(), succeeds without a
  /// look.
  static ::testing::AssertionResult same_bits(const Gradients& means) {
    if (!leaves_mean()) return ::testing::AssertionSuccess();
    for (std::size_t rank = 1; rank < means.size(); ++rank) {
      if (equal_bits(means[rank], means[0])) continue;
      return ::testing::AssertionFailure() << "rank " << rank << " differs from rank 0";
    }
    return ::testing::AssertionSuccess();
  }

 private:
  /// Adds the method's label to each failed assertion.
  ::testing::ScopedTrace label_{__FILE__, __LINE__, ::testing::PrintToString(GetParam())};
};

TEST_P(EveryMethod, GivesAllRanksTheSameBitsAmongTwoThreeOrFive) {
  for (const int size : {2, 3, 5}) {
    SCOPED_TRACE(fmt::format("{} ranks", size));
    auto all = ranks(size);
    for (int iteration = 0; iteration < 8; ++iteration) {
      SCOPED_TRACE(fmt::format("iteration {}", iteration));
      auto gradients = all.gradients(20, iteration);
      // Until iteration 4 this entry is zero on all ranks, so it is not in the agreed mask when it
      // first is not zero.
      if (iteration < 4) {
        for (auto& of_rank : gradients) of_rank[1][7].zero_();
      }
      // exchange() throws when a method makes other calls than it declared.
      ASSERT_TRUE(same_bits(all.exchange(gradients)));
    }
  }
}

TEST_P(EveryMethod, TakesBucketsOfOneElement) {
  auto all = ranks(3, layout_of({{1}, {1, 1}}));
  for (int iteration = 0; iteration < 4; ++iteration) {
    ASSERT_TRUE(same_bits(all.exchange(all.gradients(20, iteration))));
  }
}

TEST_P(EveryMethod, TakesGradientsOfZeros) {
  auto all = ranks(3);
  const auto gradients = all.gradients(0, 1);
  for (int iteration = 0; iteration < 4; ++iteration) {
    const auto means = all.exchange(gradients);
    ASSERT_TRUE(same_bits(means));
    ASSERT_TRUE(at::isfinite(at::cat(means[0])).all().item<bool>());
  }
}

TEST_P(EveryMethod, HidesNothingThatIsNotFinite) {
  auto all = ranks(3);
  const auto gradients = all.gradients(20, 1);
  all.exchange(gradients);
  expect_a_trace_of_nan(all, gradients, leaves_mean());
}

INSTANTIATE_TEST_SUITE_P(Arms, EveryMethod, ::testing::ValuesIn(every_arm()), arm_name);

TEST(MethodTable, HasEachMethodOnceWithWhatACatalogueNeedsAndAnArmAmongTheTests) {
  std::set<std::string> tested;
  for (const auto& arm : every_arm()) tested.insert(arm.name);
  std::set<std::string> names;
  for (const auto& entry : method_table()) {
    SCOPED_TRACE(entry.info.name);
    EXPECT_TRUE(names.insert(entry.info.name).second) << "twice in the table";
    EXPECT_TRUE(tested.contains(entry.info.name)) << "not in tests/unit/trainer/arms.h";
    EXPECT_FALSE(entry.info.summary.empty());
    EXPECT_FALSE(entry.info.paper.empty());
    EXPECT_FALSE(entry.info.family.empty());
    EXPECT_FALSE(entry.info.collectives.empty());
  }
}

}  // namespace
}  // namespace pacbench::trainer::test::every_method_test
