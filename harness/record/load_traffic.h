#pragma once

#include "contract/fabric/network.h"
#include "harness/record/record.h"

namespace pacbench::record {

/// The traffic of a cell's loads on the workers' links while traffic was counted for iterations, so
/// that the load is not counted as the method's traffic. Summed over all ranks. The bytes of a
/// program of the user's own are counted from its beginning to its end (`of_whole_cell`).
struct LoadTraffic {
  double sent_bytes = 0;
  double received_bytes = 0;
};
LoadTraffic load_traffic(const std::vector<Load>& loads, const CellRecord& record,
                         bool of_whole_cell = false);

}  // namespace pacbench::record
