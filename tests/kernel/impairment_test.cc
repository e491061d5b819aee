// Delay, jitter, loss and reordering as real packets meet them.
#include <algorithm>

#include "tests/chance/chance.h"
#include "tests/kernel/impaired_network.h"

namespace pacbench {
namespace {

using ::testing::Each;
using ::testing::Ge;
using ::testing::Le;

using Delay = ImpairedNetwork;
using Loss = ImpairedNetwork;

// Allowed on top of a declared delay: the kernel under test takes time, as does the one below it.
constexpr double kTolerance_ms = 1;
// Enough that a loss half as high again is caught (tests/chance).
constexpr int kDatagrams = 20'000;
constexpr double kShortInterval_us = 250;  // frames of 242 bytes fill three quarters of the link
constexpr double kInterval_us = 500;

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

/// The value that a quarter of the values exceed.
double upper_quartile(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() * 3 / 4];
}

/// The first measurement that `is_calm`, else the fifth. Other programs on this machine may delay
/// the kernel under test during a measurement, but hardly during five.
template <typename Measure, typename IsCalm>
auto calm(Measure measure, IsCalm is_calm) {
  auto measured = measure();
  for (int attempt = 1; attempt < 5 && !is_calm(measured); ++attempt) measured = measure();
  return measured;
}

/// Makes queues that hold every datagram. After a pause of the host many datagrams come at once. A
/// full queue would drop some, and the test would count them as netem's losses.
netd::CreateRequest roomy(netd::CreateRequest request) {
  for (auto& worker : request.workers) {
    worker.up.queue_bytes = worker.down.queue_bytes = 8'000'000;
  }
  return request;
}

TEST_F(Delay, APacketTakesTheDelayOfEveryDirectionThatItCrosses) {
  const auto pings_ms = [&] { return probing().pings_ms({{0, 1}}, 40).front(); };
  make(request(2, {}, {}));
  // The ping takes 10 ms up and 15 ms down, and its answer takes as long.
  const double most_ms = 50 + least(pings_ms()) + kTolerance_ms;
  make(request(2, {.delay_ms = 10}, {.delay_ms = 15}));
  const auto rtts_ms = calm(pings_ms, [&](const auto& rtts) { return least(rtts) <= most_ms; });
  EXPECT_THAT(rtts_ms, Each(Ge(50)));
  EXPECT_LE(least(rtts_ms), most_ms);
}

TEST_F(Delay, AloneKeepsOrderAndLosesNothing) {
  make(roomy(request(2, {.delay_ms = 5}, {})));
  const auto datagrams = send({0, 1}, 1000, kInterval_us);
  EXPECT_EQ(datagrams.lost, 0);
  EXPECT_EQ(datagrams.seen.reordered, 0);
  EXPECT_THAT(datagrams.seen.delays_ms, Each(Ge(5)));
}

TEST_F(Delay, JitterStaysWithinItsBoundsAndFillsThem) {
  make(request(2, {.delay_ms = 20, .jitter_ms = 8}, {}));
  const double most_ms = 28 + kTolerance_ms;
  const auto delays_ms = calm(
                             [&] {
                               return probing().datagrams({0, 1}, 500, 200, 2000);
                             },
                             [&](const links::DatagramsMeasurement& datagrams) {
                               return upper_quartile(datagrams.delays_ms) <= most_ms;
                             })
                             .delays_ms;
  EXPECT_THAT(delays_ms, Each(Ge(12)));
  EXPECT_LE(least(delays_ms), 12 + 2 * kTolerance_ms);
  // A busy host may delay a packet, but hardly every fourth one.
  EXPECT_LE(upper_quartile(delays_ms), most_ms);
  EXPECT_GE(*std::max_element(delays_ms.begin(), delays_ms.end()), 28 - 2 * kTolerance_ms);
}

TEST_F(Loss, OfASendersOrAReceiversLinkIsAsDeclared) {
  auto wanted = roomy(request(3, {}, {}));
  wanted.workers[0].up.impairment.loss = 0.02;
  wanted.workers[2].down.impairment.loss = 0.05;
  make(wanted);
  EXPECT_TRUE(is_by_chance(send({0, 1}, kDatagrams, kShortInterval_us).lost, kDatagrams, 0.02));
  EXPECT_TRUE(is_by_chance(send({1, 2}, kDatagrams, kShortInterval_us).lost, kDatagrams, 0.05));
  EXPECT_EQ(send({1, 0}, 1000, kInterval_us).lost, 0) << "that direction loses nothing";
}

TEST_F(Delay, ReorderedPacketsOvertakeThoseThatAreDelayed) {
  auto wanted = roomy(request(2, {}, {}));
  wanted.workers[0].up.impairment = {.delay_ms = 10, .reorder = 0.05};
  make(wanted);
  // A receiver that runs late reads all datagrams late: one in a few thousand is read in time.
  const auto datagrams = calm(
      [&] {
        return send({0, 1}, 4000, kInterval_us);
      },
      [](const Datagrams& each) { return least(each.seen.delays_ms) < 5; });
  EXPECT_EQ(datagrams.lost, 0);
  // One packet in twenty overtakes all that are under way. Each overtaken packet counts as
  // reordered.
  EXPECT_GT(datagrams.seen.reordered, 400);
  EXPECT_LT(least(datagrams.seen.delays_ms), 5) << "one that was not delayed";
}

}  // namespace
}  // namespace pacbench
