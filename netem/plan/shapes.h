#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/fabric/fabric_spec.h"

namespace pacbench::netem {

/// The settings of HTB and its leaf for one direction.
struct LinkShape {
  std::int64_t rate_bytes_per_s = 0;
  std::int64_t burst_bytes = 0;
  std::int64_t ceil_burst_bytes = 0;
  std::int64_t quantum_bytes = 0;
  std::int64_t queue_bytes = 0;  ///< of the bfifo leaf

  /// The settings for a rate. The bursts are those of `shaper`, but last at least ten microseconds:
  /// tc cuts bursts to whole microseconds, which could change a shorter one by over a tenth.
  static LinkShape for_rate(double rate_mbit, const netd::Shaper& shaper, std::int64_t queue_bytes);
};

/// The settings of netem for one direction.
struct NetemShape {
  netd::Impairment impairment;
  std::int64_t limit_packets = 0;

  /// The shape of a direction; nothing for one without impairment.
  static std::optional<NetemShape> for_direction(const netd::Direction& direction, int mtu);
};

/// About how many bytes netem holds at its packet limit: a full frame for every four packets (see
/// packets_in_flight).
std::int64_t bytes_in_flight(const NetemShape& shape, int mtu);

/// How many packets netem must have room for, so that it drops none itself: four for each full
/// frame that the rate lets through within delay plus jitter, but at least 1,000. Netem counts
/// packets, whatever their size (the kernel's sch_netem.c), and not all packets are full frames.
std::int64_t packets_in_flight(double rate_mbit, const netd::Impairment& impairment, int mtu);

// Lines for `tc -batch`. They add and never replace or change, so the kernel refuses them on a
// device that already has a qdisc of somebody else's.

/// HTB with one class and one leaf, for what a device sends.
std::vector<std::string> shaping_lines(const std::string& device, const LinkShape& shape);

/// Lines that hand all that a device receives to another device, which sends it.
std::vector<std::string> redirect_lines(const std::string& device, const std::string& to);

/// Lines that send what a device receives through netem. The device's ingress is redirected to an
/// ifb device, from which packets come back as if just received. So HTB stays at the sending end,
/// where its queue slows TCP down, and netem delays only packets that HTB has shaped.
std::vector<std::string> netem_lines(const std::string& device, const std::string& ifb,
                                     const NetemShape& netem);

}  // namespace pacbench::netem
