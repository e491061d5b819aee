#pragma once

#include "contract/network/network.h"
#include "harness/record/record.h"

namespace pacbench::record {

/// The bytes that a cell's loads moved over the workers' links while bytes were counted for
/// iterations, summed over all ranks. They are subtracted, so that they do not count as the
/// method's traffic. With `of_program`, for a user's own program, all bytes of the loads are summed
/// from the time when the program reported that training began, or else from the cell's start.
struct LoadTraffic {
  double sent_bytes = 0;
  double received_bytes = 0;
};
LoadTraffic load_traffic(const std::vector<Load>& loads, const CellRecord& record, bool of_program);

}  // namespace pacbench::record
