#include "simulate/ranks/exchange.h"

#include "tests/unit/contract/matchers.h"
#include "tests/unit/simulate/plain_network.h"

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
  EXPECT_THAT(order,
              ElementsAre(Pair(0, 0), Pair(1, 0), Pair(0, 1), Pair(2, 0), Pair(1, 1), Pair(2, 1)));
}

TEST(Turns, AreGivenUpByABucketThatHasEnded) {
  EXPECT_THAT(order_of({0, 2}, {1, 0}), ElementsAre(Pair(1, 0), Pair(1, 1)));
}

TEST(Executor, ContinuesAnExchangeBeforeItBeginsOne) {
  PlainNetwork network;
  Executor executor{network};
  std::vector<std::pair<char, double>> ends;
  const auto note = [&](char name) {
    return [&, name] { ends.emplace_back(name, network.now_s()); };
  };
  executor.post(2, note('a'));
  executor.post(3, note('b'));
  executor.post_ahead(1, note('c'));
  network.run();
  EXPECT_THAT(ends, ElementsAre(Pair('a', 2.0), Pair('c', 3.0), Pair('b', 6.0)));
}

TEST(Executor, DoesWhatTakesNoTimeInOrderToo) {
  PlainNetwork network;
  Executor executor{network};
  std::string order;
  executor.post(0, [&] {
    executor.post_ahead(0, [&] { order += "b"; });
    order += "a";
  });
  EXPECT_EQ(order, "ab");
}

}  // namespace
}  // namespace pacbench::simulate
