#pragma once

#include <optional>

#include "contract/result/result.h"
#include "harness/plan/plan.h"
#include "harness/record/record.h"
#include "harness/record/verdicts.h"

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

/// Adds what was sent, received, resent and dropped, by ranks and on links.
void add_traffic(CellResult& result, const Scenario& scenario, const plan::Cell& cell,
                 const CellRecord& record);

/// The bytes that a rank sends in an iteration, as counted and as explained. Absent where
/// collectives do not explain every byte (explained_workers), and where no iteration was recorded.
std::optional<WireBytes> wire_bytes(const Scenario& scenario, const CellRecord& record);

/// The packets that the cell's links lost, as link_verdict() judges them.
Losses losses(const Scenario& scenario, const plan::Cell& cell, const CellRecord& record);

}  // namespace pacbench::record
