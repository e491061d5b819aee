#include "netem/plan/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/frames.h"

namespace pacbench::netem {
namespace {

// tc keeps bursts in whole microseconds, so rounding changes a burst of 10 us by at most a tenth.
constexpr double kLeastBurst_s = 10e-6;
// Without a quantum the kernel takes a tenth of the rate (r2q), which it calls big above 16 Mbit/s.
constexpr std::int64_t kQuantumBytes = 60000;
// Acknowledgements and ends of messages are small, so a link holds more packets than full frames.
constexpr double kPacketsPerFrame = 4;
constexpr std::int64_t kLeastPackets = 1000;  // netem's own default
// The limit allows for this rate at least. A high limit does no harm: HTB has shaped the packets.
constexpr double kUsualMostRateMbit = 1000;

/// A share as tc wants it, to the precision that the kernel keeps.
std::string percent(double share) { return fmt::format("{:.10g}%", 100 * share); }

std::string netem_options(const NetemShape& netem) {
  const auto& impairment = netem.impairment;
  auto options = fmt::format("limit {}", netem.limit_packets);
  if (impairment.delay_ms > 0) options += fmt::format(" delay {:.10g}ms", impairment.delay_ms);
  if (impairment.jitter_ms > 0) options += fmt::format(" {:.10g}ms", impairment.jitter_ms);
  if (impairment.loss > 0) options += " loss " + percent(impairment.loss);
  if (impairment.reorder > 0) options += " reorder " + percent(impairment.reorder);
  return options;
}

}  // namespace

LinkShape LinkShape::for_rate(double rate_mbit, const netd::Shaper& shaper,
                              std::int64_t queue_bytes) {
  const auto rate = std::llround(rate_mbit * 1e6 / 8);
  const std::int64_t least_burst = std::llround(static_cast<double>(rate) * kLeastBurst_s);
  return {.rate_bytes_per_s = rate,
          .burst_bytes = std::max(shaper.burst_bytes, least_burst),
          .ceil_burst_bytes = std::max(shaper.ceil_burst_bytes, least_burst),
          .quantum_bytes = kQuantumBytes,
          .queue_bytes = queue_bytes};
}

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

std::vector<std::string> shaping_lines(const std::string& device, const LinkShape& shape) {
  return {fmt::format("qdisc add dev {} root handle 1: htb default 1", device),
          fmt::format("class add dev {} parent 1: classid 1:1 htb rate {}bit ceil {}bit burst {}b "
                      "cburst {}b quantum {}",
                      device, 8 * shape.rate_bytes_per_s, 8 * shape.rate_bytes_per_s,
                      shape.burst_bytes, shape.ceil_burst_bytes, shape.quantum_bytes),
          fmt::format("qdisc add dev {} parent 1:1 handle 10: bfifo limit {}b", device,
                      shape.queue_bytes)};
}

std::vector<std::string> redirect_lines(const std::string& device, const std::string& to) {
  return {fmt::format("qdisc add dev {} handle ffff: ingress", device),
          fmt::format("filter add dev {} parent ffff: protocol all prio 1 u32 match u32 0 0 action "
                      "mirred egress redirect dev {}",
                      device, to)};
}

std::vector<std::string> netem_lines(const std::string& device, const std::string& ifb,
                                     const NetemShape& netem) {
  auto lines = redirect_lines(device, ifb);
  lines.insert(lines.begin(),
               fmt::format("qdisc add dev {} root handle 1: netem {}", ifb, netem_options(netem)));
  return lines;
}

}  // namespace pacbench::netem
