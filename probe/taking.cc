#include "probe/taking.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "probe/stamped_reader.h"

namespace pacbench::probe {
namespace {

constexpr std::int64_t kSampleNs = 10'000'000;
constexpr std::int64_t kDiscardedPart = 1 << 20;
// TCP still looks for the rate before.
constexpr std::int64_t kSettleNs = 250'000'000;

/// What came at once, and how long after what came before it.
struct Arrival {
  double mbit = 0;  ///< its bytes over that time
  std::int64_t bytes = 0;
};

/// The rate that half of the bytes arrived at or faster, in Mbit/s; 0 without arrivals.
double median_mbit(std::vector<Arrival> arrivals) {
  std::sort(arrivals.begin(), arrivals.end(),
            [](const Arrival& one, const Arrival& other) { return one.mbit < other.mbit; });
  std::int64_t all = 0;
  for (const auto& arrival : arrivals) all += arrival.bytes;
  std::int64_t below = 0;
  for (const auto& arrival : arrivals) {
    below += arrival.bytes;
    if (2 * below >= all) return arrival.mbit;
  }
  return 0;
}

}  // namespace

Json take_flow(int socket, std::int64_t most_bytes) {
  std::int64_t bytes = 0;
  std::int64_t start_ns = 0;
  std::int64_t last_ns = 0;
  std::int64_t now_ns = 0;
  auto samples = Json::array();
  std::vector<Arrival> arrivals;
  StampedReader reader{socket};
  while (bytes < most_bytes) {
    const auto part = std::min(kDiscardedPart, most_bytes - bytes);
    const auto count = reader.discard_some(static_cast<std::size_t>(part));
    if (count == 0) break;
    bytes += static_cast<std::int64_t>(count);
    const auto before_ns = std::exchange(now_ns, std::max(now_ns, reader.last_ns()));
    if (start_ns == 0) start_ns = now_ns;
    if (now_ns > before_ns && now_ns - start_ns > kSettleNs) {
      const auto got = static_cast<std::int64_t>(count);
      arrivals.push_back(
          {static_cast<double>(got) * 8e3 / static_cast<double>(now_ns - before_ns), got});
    }
    if (now_ns - last_ns < kSampleNs) continue;
    samples.push_back({now_ns, bytes});
    last_ns = now_ns;
  }
  samples.push_back({now_ns, bytes});
  return {{"bytes", bytes},
          {"start_ns", start_ns},
          {"end_ns", now_ns},
          {"packet_mbit", median_mbit(std::move(arrivals))},
          {"samples", std::move(samples)}};
}

}  // namespace pacbench::probe
