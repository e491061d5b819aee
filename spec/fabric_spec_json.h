#pragma once

#include "base/json_reader.h"
#include "spec/fabric_spec.h"

namespace pacbench::netd {

Json to_json(const Impairment& impairment);
Json fabric_to_json(const CreateRequest& request);

/// Reads everything of a create request but its type and version; what is wrong is noted in the
/// reader's list, a graph that is no tree included.
CreateRequest read_fabric(ObjectReader& reader);

/// What is wrong with a request whose values are each within bounds: queues too short for their
/// flows, bursts that last longer than the kernel can hold.
std::vector<Issue> contradictions(const CreateRequest& request);

/// Bounds of a rate that a request may ask for, in Mbit/s.
inline constexpr double kLeastRateMbit = 0.05;
inline constexpr double kMostRateMbit = 100000;

}  // namespace pacbench::netd
