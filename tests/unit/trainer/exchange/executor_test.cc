#include "trainer/collectives/executor.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace pacbench::trainer {
namespace {

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
}  // namespace pacbench::trainer
