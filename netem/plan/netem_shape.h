#pragma once

#include <cstdint>
#include <optional>

#include "contract/fabric/fabric_spec.h"

namespace pacbench::netem {

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

}  // namespace pacbench::netem
