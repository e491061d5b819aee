// The order in which a rank issues the calls of its buckets, and in which its executor works.
#include "trainer/collectives/sequencer.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "trainer/collectives/executor.h"

namespace pacbench::trainer::sequencer_test {
namespace {

class SequencerTest : public ::testing::Test {
 protected:
  void park(int bucket) {
    sequencer.park(bucket, [this, bucket](std::exception_ptr failure) {
      order.push_back(std::to_string(bucket) + (failure ? " failed" : ""));
    });
  }
  Sequencer sequencer;
  std::vector<std::string> order;
};

TEST_F(SequencerTest, IssuesTheSecondStageBeforeABucketTwoFurtherOn) {
  sequencer.begin(3);
  park(0);
  park(1);
  park(2);  // its key bucket + 2 · stage equals that of bucket 0's second stage, which goes first
  EXPECT_EQ(order, (std::vector<std::string>{"0", "1"}));
  park(0);
  EXPECT_EQ(order, (std::vector<std::string>{"0", "1", "0", "2"}));
}

TEST_F(SequencerTest, PoisonFailsWhatWaitsAndWhatComesLater) {
  sequencer.begin(3);
  park(2);
  sequencer.poison(std::make_exception_ptr(std::runtime_error{"broken"}));
  park(1);
  EXPECT_EQ(order, (std::vector<std::string>{"2 failed", "1 failed"}));
}

TEST_F(SequencerTest, RefusesAnIterationBeforeTheLastHasEnded) {
  sequencer.begin(1);
  EXPECT_THROW(sequencer.begin(1), std::logic_error);
  sequencer.finish(0);
  EXPECT_NO_THROW(sequencer.begin(1));
}

TEST(Executor, RunsWhatIsPostedAheadFirstAndEachKindInOrderAndKnowsWhetherMoreWaits) {
  std::string order;
  {
    std::promise<void> all_posted;
    Executor executor;
    executor.post([&] { all_posted.get_future().wait(); });
    const auto work = [&](char name) {
      return [&, name] { order += {name, executor.has_waiting_work() ? '+' : '.'}; };
    };
    for (const char begins : {'a', 'b'}) executor.post(work(begins));
    for (const char continues : {'1', '2'}) executor.post_ahead(work(continues));
    all_posted.set_value();
  }
  EXPECT_EQ(order, "1+2+a+b.");
}

}  // namespace
}  // namespace pacbench::trainer::sequencer_test
