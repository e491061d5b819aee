#include "simulate/gloo/process_group.h"

#include <gmock/gmock.h>

#include <memory>
#include <numeric>

#include "tests/unit/simulate/calls.h"
#include "tests/unit/simulate/plain_network.h"

namespace pacbench::simulate {
namespace {

class ProcessGroupTest : public ::testing::Test {
 protected:
  void join(int workers) {
    std::vector<int> all(static_cast<std::size_t>(workers));
    std::iota(all.begin(), all.end(), 0);
    transport = std::make_unique<Transport>(network, only_links(), workers, whole_messages());
    for (const int worker : all) {
      groups.push_back(std::make_unique<ProcessGroup>(*transport, 0, all, worker));
    }
  }

  /// Starts the call on all ranks. Adds the time at which each rank ends to `ends`.
  void start(const Call& call) {
    for (auto& group : groups) {
      group->start(call, [this](std::int64_t) { ends.push_back(network.now_s()); });
    }
  }

  PlainNetwork network;
  std::unique_ptr<Transport> transport;
  std::vector<std::unique_ptr<ProcessGroup>> groups;
  std::vector<double> ends;
};

TEST_F(ProcessGroupTest, EndsEachCollectiveOnAllRanks) {
  join(5);
  const std::vector<Call> calls{call_of("all_reduce", 1003), call_of("all_gather", 77),
                                call_of("all_to_all", 999),  call_of("broadcast", 12),
                                call_of("barrier", 0),       call_of("all_reduce", 3)};
  for (const auto& call : calls) start(call);
  network.run();
  EXPECT_EQ(ends.size(), 5 * calls.size());
}

TEST_F(ProcessGroupTest, TakesARingsTimeForAnAllReduce) {
  join(4);
  start(call_of("all_reduce", 1'000'000));
  network.run();
  // 2 · 3/4 of 4 MB at 1 MB/s, with 66 bytes of headers for each 1448, and Gloo's own headers.
  const double least_s = 6 * 1514.0 / 1448;
  ASSERT_EQ(ends.size(), 4u);
  EXPECT_GT(ends.back(), least_s);
  EXPECT_LT(ends.back(), 1.002 * least_s);
}

TEST_F(ProcessGroupTest, WorksOnTwoCollectivesAtATime) {
  join(2);
  const auto call = call_of("all_to_all", 2'000'000);
  start(call);
  start(call);
  start(call);
  network.run();
  // The collectives follow each other over one connection. The third one also waits for a thread.
  ASSERT_EQ(ends.size(), 6u);
  const double each_s = 4 * 1514.0 / 1448;
  EXPECT_NEAR(ends[0], each_s, 0.01);
  EXPECT_NEAR(ends[2], 2 * each_s, 0.01);
  EXPECT_NEAR(ends[5], 3 * each_s, 0.01);
}

TEST_F(ProcessGroupTest, SaysWhatARankSent) {
  join(2);
  std::int64_t sent = 0;
  const auto call = call_of("all_gather", 10);
  groups[0]->start(call, [&](std::int64_t bytes) { sent = bytes; });
  groups[1]->start(call, [](std::int64_t) {});
  network.run();
  EXPECT_EQ(sent, 40);
}

}  // namespace
}  // namespace pacbench::simulate
