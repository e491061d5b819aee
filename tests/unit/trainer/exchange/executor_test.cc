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

}  // namespace
}  // namespace pacbench::trainer
