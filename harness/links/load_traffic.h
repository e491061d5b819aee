#pragma once

#include "harness/cell/record.h"
#include "spec/network.h"

namespace pacbench::links {

/// What the loads of a cell put on the workers' links while traffic was counted for iterations, so
/// that it is not taken for the method's. Summed over all ranks.
struct LoadTraffic {
  double sent_bytes = 0;
  double received_bytes = 0;
};
LoadTraffic load_traffic(const std::vector<Load>& loads, const cell::CellRecord& record);

}  // namespace pacbench::links
