#pragma once

#include <string>
#include <vector>

#include "harness/record/record.h"

namespace pacbench::record {

/// The traffic of a program of the user's own: the counters at the end, less those at the start of
/// training if the program reported it. These are sums over its ranks and iterations, as in
/// CellRecord::totals() for pacbench's workers; what only workers report stays 0. A program that
/// reports no steps counts as one iteration. All are zero until the counters at the end are
/// recorded.
CellRecord::Totals program_totals(const CellRecord& record);

/// Returns the seconds from when all ranks had been started until the last rank ended. While some
/// still run, the last end so far counts; before the first end the result is 0.
double program_wall_s(const CellRecord& record);

/// Adds the reasons why the links of a user's own program may not have carried what its ranks
/// exchanged. Judges the bytes from the report that training began, or of the whole cell without
/// one; nothing before the counters at the end are recorded.
/// - Over 1 % of what the ranks sent went over the control network, beyond what the rendezvous of
///   torch's process groups takes.
/// - With more than one rank: a rank sent more than ten times as much over its loopback device as
///   over its link, so one rank has several processes that exchange data.
/// - With more than one rank: a rank sent less than a full frame a step over its link, in small
///   frames. A program that reports no steps counts as one step, and its connections may take 1 kB
///   for each peer. Beside loads, whose bytes are not known that exactly, ranks must together have
///   sent a full frame a step each, and 1 % of what the loads sent. Not judged where the scenario
///   says that the program sends little.
/// Only the first reason that applies is added, since it explains the others.
void judge_program_bytes(const CellRecord& record, std::vector<std::string>& reasons);

}  // namespace pacbench::record
