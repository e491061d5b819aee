#include "trainer/collectives/executor.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace pacbench::trainer {
namespace {

TEST(Executor, RunsWhatIsPostedAheadFirstAndEachKindInOrder) {
  std::string order;
  {
    Executor executor;
    std::promise<void> all_posted;
    executor.post([&] { all_posted.get_future().wait(); });
    for (const char begins : {'a', 'b'}) executor.post([&order, begins] { order += begins; });
    for (const char continues : {'1', '2'}) {
      executor.post_ahead([&order, continues] { order += continues; });
    }
    all_posted.set_value();
  }
  EXPECT_EQ(order, "12ab");
}

TEST(Executor, KnowsWhetherWorkWaitsBehindTheWorkThatAsks) {
  std::string waits;
  {
    Executor executor;
    std::promise<void> all_posted;
    executor.post([&] { all_posted.get_future().wait(); });
    const auto ask = [&] { waits += executor.has_waiting_work() ? 'y' : 'n'; };
    executor.post(ask);
    executor.post(ask);
    executor.post_ahead(ask);
    all_posted.set_value();
  }
  EXPECT_EQ(waits, "yyn");
}

}  // namespace
}  // namespace pacbench::trainer
