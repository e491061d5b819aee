#include "probe/taking.h"

#include <algorithm>
#include <utility>

#include "probe/stamped_reader.h"

namespace pacbench::probe {
namespace {

constexpr std::int64_t kSampleNs = 10'000'000;
constexpr std::int64_t kDiscardedPart = 1 << 20;
// TCP still looks for the rate before.
constexpr std::int64_t kSettleNs = 250'000'000;

}  // namespace

/// The rate that half of the bytes arrived at or faster, in Mbit/s; 0 without arrivals.
double Taken::median_mbit(std::vector<Arrival> arrivals) {
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

void Taken::add(std::int64_t at_ns, std::int64_t bytes) {
  bytes_ += bytes;
  const auto before_ns = std::exchange(now_ns_, std::max(now_ns_, at_ns));
  if (start_ns_ == 0) start_ns_ = now_ns_;
  if (now_ns_ > before_ns && now_ns_ - start_ns_ > kSettleNs) {
    arrivals_.push_back(
        {static_cast<double>(bytes) * 8e3 / static_cast<double>(now_ns_ - before_ns), bytes});
  }
  if (now_ns_ - sampled_ns_ < kSampleNs) return;
  samples_.push_back({now_ns_, bytes_});
  sampled_ns_ = now_ns_;
}

Json Taken::line() const {
  auto samples = samples_;
  samples.push_back({now_ns_, bytes_});
  return {{"bytes", bytes_},
          {"start_ns", start_ns_},
          {"end_ns", now_ns_},
          {"packet_mbit", median_mbit(arrivals_)},
          {"samples", std::move(samples)}};
}

Json take_flow(int socket, std::int64_t most_bytes) {
  Taken taken;
  StampedReader reader{socket};
  while (taken.bytes() < most_bytes) {
    const auto part = std::min(kDiscardedPart, most_bytes - taken.bytes());
    const auto count = reader.discard_some(static_cast<std::size_t>(part));
    if (count == 0) break;
    taken.add(reader.last_ns(), static_cast<std::int64_t>(count));
  }
  return taken.line();
}

}  // namespace pacbench::probe
