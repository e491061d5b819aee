#pragma once

#include <cstdint>
#include <optional>

#include "harness/links/probing.h"
#include "harness/machine/disturbance.h"

namespace pacbench::probes {

/// What a receiver got of a flow in some time.
struct Received {
  double bytes = 0;
  double time_s = 0;

  /// In Mbit/s of payload; 0 when nothing was measured.
  double mbit() const { return time_s > 0 ? bytes * 8e-6 / time_s : 0; }
};

/// What came between two times that no disturbance touches, sample by sample. After a disturbance
/// a receiver reads what its kernel has kept for it, and the sender has to fill the link again: so
/// 25 ms after each disturbance are left out too.
Received quiet_goodput(const links::FlowMeasurement& flow, std::int64_t from_ns, std::int64_t to_ns,
                       const MachineTrace& machine);

/// The goodput, in Mbit/s, that a tenth of the parts of record::kPart_s between two times had or
/// exceeded; absent where there are fewer than 10 parts.
std::optional<double> best_mbit(const links::FlowMeasurement& flow, std::int64_t from_ns,
                                std::int64_t to_ns);

}  // namespace pacbench::probes
