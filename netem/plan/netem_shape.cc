#include "netem/plan/netem_shape.h"

#include "base/frames.h"

#include <algorithm>
#include <cmath>

namespace pacbench::netem {
namespace {

// Acknowledgements and ends of messages are small, so a link holds more packets than full frames.
constexpr double kPacketsPerFrame = 4;
constexpr std::int64_t kLeastPackets = 1000;  // netem's own default
// The limit allows for this rate at least. A high limit does no harm: HTB has shaped the packets.
constexpr double kUsualMostRateMbit = 1000;

}  // namespace

std::optional<NetemShape> NetemShape::for_direction(const netd::Direction& direction, int mtu) {
  if (!direction.impairment.any()) return std::nullopt;
  const double rate_mbit = std::max(direction.fastest_mbit(), kUsualMostRateMbit);
  return NetemShape{direction.impairment, packets_in_flight(rate_mbit, direction.impairment, mtu)};
}

std::int64_t bytes_in_flight(const NetemShape& shape, int mtu) {
  return shape.limit_packets / static_cast<std::int64_t>(kPacketsPerFrame) * frame_bytes(mtu);
}

std::int64_t packets_in_flight(double rate_mbit, const netd::Impairment& impairment, int mtu) {
  const double longest_s = (impairment.delay_ms + impairment.jitter_ms) * 1e-3;
  const double frames = rate_mbit * 1e6 / 8 * longest_s / static_cast<double>(frame_bytes(mtu));
  return std::max(kLeastPackets, static_cast<std::int64_t>(std::ceil(kPacketsPerFrame * frames)));
}

}  // namespace pacbench::netem
