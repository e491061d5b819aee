#pragma once

#include <cstdint>
#include <optional>

#include "contract/fabric/fabric_spec.h"

namespace pacbench::netem {

/// The settings of netem for one direction.
struct NetemShape {
  netd::Impairment impairment;
  std::int64_t limit_packets = 0;

  /// The shape of a direction; nothing for one without delay, loss and reordering.
  static std::optional<NetemShape> for_direction(const netd::Direction& direction, int mtu);
};

/// About how many bytes netem holds at its packet limit: those of a fourth of the packets as full
/// frames (see packets_in_flight).
std::int64_t bytes_in_flight(const NetemShape& shape, int mtu);

/// The packets that netem must have room for, so that netem itself drops none: four for each full
/// frame that the rate lets through within delay and jitter, since not all packets are full frames,
/// and at least 1,000. Netem counts packets, whatever their size (the kernel's sch_netem.c).
std::int64_t packets_in_flight(double rate_mbit, const netd::Impairment& impairment, int mtu);

}  // namespace pacbench::netem
