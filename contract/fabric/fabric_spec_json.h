#pragma once

#include "base/checked_keys.h"
#include "base/json_reader.h"
#include "contract/fabric/fabric_spec.h"

namespace pacbench::netd {

/// Bounds of a rate that a request may ask for, in Mbit/s.
inline constexpr double kLeastRateMbit = 0.05;
inline constexpr double kMostRateMbit = 100000;

inline constexpr Range kSwitch{0.0, CreateRequest::kMaxSwitches - 1.0};

}  // namespace pacbench::netd

namespace pacbench {

template <>
struct JsonFields<netd::Impairment> {
  using T = netd::Impairment;
  static constexpr Range kDelayMs{0.0, 10000.0};
  static constexpr Range kShare{0.0, 1.0};
  static constexpr std::tuple kAll{
      required("delay_ms", &T::delay_ms, kDelayMs), required("jitter_ms", &T::jitter_ms, kDelayMs),
      required("loss", &T::loss, kShare), required("reorder", &T::reorder, kShare)};
};

}  // namespace pacbench

namespace pacbench::netd {

Json fabric_to_json(const CreateRequest& request);

/// Reads everything of a create request but its type and version; what is wrong is noted in the
/// reader's list, a graph that is no tree included.
CreateRequest read_fabric(ObjectReader& reader);

/// The contradictions of a request whose values are each within bounds: queues too short for their
/// flows, bursts that last longer than the kernel can hold, packets that are to arrive before they
/// are sent.
std::vector<Issue> contradictions(const CreateRequest& request);

}  // namespace pacbench::netd
