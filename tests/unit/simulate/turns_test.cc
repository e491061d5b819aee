#include "simulate/ranks/turns.h"

#include <gmock/gmock.h>

namespace pacbench::simulate {
namespace {

/// Asks for the first collective of each bucket, in the order of `ready`, and for a bucket's next
/// one as soon as the one before starts. Bucket b has stages[b] collectives. Returns the order in
/// which the collectives start, as bucket and stage.
std::vector<std::pair<int, int>> order_of(std::vector<int> stages, const std::vector<int>& ready) {
  Turns turns;
  turns.begin(static_cast<int>(stages.size()));
  std::vector<std::pair<int, int>> order;
  std::vector<int> done(stages.size(), 0);
  std::function<void(int)> ask = [&](int bucket) {
    const auto place = static_cast<std::size_t>(bucket);
    if (done[place] == stages[place]) return turns.finish(bucket);
    turns.ask(bucket, [&, bucket, place] {
      order.emplace_back(bucket, done[place]++);
      ask(bucket);
    });
  };
  for (const int bucket : ready) ask(bucket);
  return order;
}

TEST(Turns, AreTheSameWhicheverBucketIsReadyFirst) {
  const auto order = order_of({2, 2, 2}, {0, 1, 2});
  EXPECT_EQ(order_of({2, 2, 2}, {2, 1, 0}), order);
  EXPECT_EQ(order_of({2, 2, 2}, {1, 2, 0}), order);
  // They start in ascending order of bucket + 2 · stage.
  EXPECT_THAT(order, ::testing::ElementsAre(std::pair{0, 0}, std::pair{1, 0}, std::pair{0, 1},
                                            std::pair{2, 0}, std::pair{1, 1}, std::pair{2, 1}));
}

TEST(Turns, AreGivenUpByABucketThatHasEnded) {
  EXPECT_THAT(order_of({0, 2}, {1, 0}), ::testing::ElementsAre(std::pair{1, 0}, std::pair{1, 1}));
}

}  // namespace
}  // namespace pacbench::simulate
