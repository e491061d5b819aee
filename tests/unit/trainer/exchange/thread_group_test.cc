#include "trainer/collectives/thread_group.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>

namespace pacbench::trainer::test::thread_group_test {
namespace {

TEST(ThreadGroup, FailsTheCallsOfASubGroupThatIsMadeAfterARankHasFailed) {
  const auto ranks = make_thread_group(3);
  ranks[0]->abort(std::make_exception_ptr(std::runtime_error{"rank 0 fails"}));
  const auto pair = ranks[1]->sub_group({1, 2});
  Collective call;
  call.kind = CollectiveKind::kAllReduce;
  call.input = at::zeros({1});
  std::exception_ptr failure;
  pair->start(call, [&](std::exception_ptr found) { failure = std::move(found); });
  EXPECT_TRUE(failure) << "the other member may never call";
}

}  // namespace
}  // namespace pacbench::trainer::test::thread_group_test
