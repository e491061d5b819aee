#pragma once

#include <optional>

#include "contract/result/result.h"
#include "harness/plan/plan.h"
#include "harness/record/record.h"
#include "harness/record/verdicts.h"

namespace pacbench::record {

/// Adds what was sent, received, resent and dropped, by ranks and on links.
void add_traffic(CellResult& result, const Scenario& scenario, const plan::Cell& cell,
                 const CellRecord& record);

/// The bytes that a rank sends in an iteration, as counted and as explained. Absent where
/// collectives do not explain every byte (explained_workers), and where no iteration was recorded.
std::optional<WireBytes> wire_bytes(const Scenario& scenario, const CellRecord& record);

/// The packets that the cell's links lost, as link_verdict() judges them.
Losses losses(const Scenario& scenario, const plan::Cell& cell, const CellRecord& record);

}  // namespace pacbench::record
