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

/// The bytes in flight when netem's packet limit is reached. Only some packets are full frames.
std::int64_t bytes_in_flight(const NetemShape& shape, int mtu);

/// The packets that netem must be able to delay at a rate, so that netem itself never drops one.
/// HTB lets no more through than the rate, but not all packets are full frames. See the kernel's
/// sch_netem.c, which counts packets, whatever their size.
std::int64_t packets_in_flight(double rate_mbit, const netd::Impairment& impairment, int mtu);

}  // namespace pacbench::netem
