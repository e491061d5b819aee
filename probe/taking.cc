#include "probe/taking.h"

#include <algorithm>

#include "probe/stamped_reader.h"

namespace pacbench::probe {
namespace {

constexpr std::int64_t kSampleNs = 10'000'000;
constexpr std::int64_t kDiscardedPart = 1 << 20;

}  // namespace

Json take_flow(int socket, std::int64_t most_bytes) {
  std::int64_t bytes = 0;
  std::int64_t start_ns = 0;
  std::int64_t last_ns = 0;
  std::int64_t now_ns = 0;
  auto samples = Json::array();
  StampedReader reader{socket};
  while (bytes < most_bytes) {
    const auto part = std::min(kDiscardedPart, most_bytes - bytes);
    const auto count = reader.discard_some(static_cast<std::size_t>(part));
    if (count == 0) break;
    bytes += static_cast<std::int64_t>(count);
    now_ns = std::max(now_ns, reader.last_ns());
    if (start_ns == 0) start_ns = now_ns;
    if (now_ns - last_ns < kSampleNs) continue;
    samples.push_back({now_ns, bytes});
    last_ns = now_ns;
  }
  samples.push_back({now_ns, bytes});
  return {{"bytes", bytes},
          {"start_ns", start_ns},
          {"end_ns", now_ns},
          {"samples", std::move(samples)}};
}

}  // namespace pacbench::probe
