// The queue of a sender's own link slows the sender down, however long the delay behind it is.
#include <algorithm>
#include <atomic>
#include <future>

#include "tests/emulation/daemon_client.h"
#include "tests/kernel/impaired_network.h"

namespace pacbench {
namespace {

using BackPressure = ImpairedNetwork;

const std::vector<std::string> kShow{"/usr/sbin/tc", "-s", "-j", "qdisc", "show"};
constexpr double kGoodputMbit = 10 * 1448.0 / 1514;

std::int64_t drops(const Json& qdiscs, const std::string& kind) {
  std::int64_t sum = 0;
  for (const auto& qdisc : qdiscs) {
    if (qdisc.at("kind") == kind) sum += qdisc.value("drops", std::int64_t{0});
  }
  return sum;
}

/// The bytes that wait in the leaf qdisc.
std::int64_t backlog(const Json& qdiscs) {
  for (const auto& qdisc : qdiscs) {
    if (qdisc.at("kind") == "bfifo") return qdisc.at("backlog");
  }
  throw std::runtime_error{"no bfifo: " + qdiscs.dump()};
}

int count(const Json& qdiscs, const std::string& kind) {
  return static_cast<int>(std::count_if(
      qdiscs.begin(), qdiscs.end(), [&](const Json& qdisc) { return qdisc.at("kind") == kind; }));
}

TEST_F(BackPressure, OneFlowFillsALongLinkAndNoQueueDropsAPacket) {
  make(request(2, {.delay_ms = 20}, {.delay_ms = 20}));
  // A pause of this machine holds up the growth of TCP's window, but hardly in three flows.
  links::FlowMeasurement flow;
  const auto goodput_mbit = [&] {
    return links::goodput_mbit(flow, flow.end_ns() - 1'500'000'000, flow.end_ns());
  };
  for (int attempt = 0; attempt < 3 && goodput_mbit() <= 0.85 * kGoodputMbit; ++attempt) {
    flow = probing().flows({{0, 1}}, 4).front();
  }
  EXPECT_GT(goodput_mbit(), 0.85 * kGoodputMbit);
  EXPECT_EQ(flow.retransmits, 0);
  const auto there = Json::parse(run_in_namespace_of(fabric().pid(), kShow));
  const auto sender = Json::parse(run_in_namespace_of(hold(0), kShow));
  ASSERT_EQ(count(there, "netem"), 2) << "an ifb for what each worker sends\n" << there;
  EXPECT_EQ(drops(there, "netem"), 0);
  EXPECT_EQ(drops(there, "bfifo"), 0);
  EXPECT_EQ(drops(sender, "bfifo"), 0) << "the sender stops before its queue is full";
}

TEST_F(BackPressure, TheQueueThatFillsIsTheSendersOwn) {
  make(request(2, {.delay_ms = 20}, {.delay_ms = 20}));
  std::atomic<bool> over{false};
  auto watched = std::async(std::launch::async, [&, watcher = hold(0)] {
    std::vector<std::int64_t> backlogs;
    while (!over) backlogs.push_back(backlog(Json::parse(run_in_namespace_of(watcher, kShow))));
    return backlogs;
  });
  probing().flows({{0, 1}}, 3);
  over = true;
  auto backlogs = watched.get();
  ASSERT_GE(backlogs.size(), 8U);
  std::sort(backlogs.begin(), backlogs.end());
  // The queue is empty while TCP's window still grows, hence the upper quartile.
  EXPECT_GT(backlogs[backlogs.size() * 3 / 4], 0) << "nothing waits in front of the link";
  EXPECT_LT(backlogs.back(), link("worker0.up").queue_bytes / 2) << "TCP does not feel the queue";
}

}  // namespace
}  // namespace pacbench
