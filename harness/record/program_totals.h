#pragma once

#include <optional>

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

/// What the ranks of such a program sent in training, by the way that it took: sums over ranks.
struct SentBytes {
  double links = 0;  ///< over their links, without the traffic of loads
  std::int64_t link_packets = 0;
  double loads = 0;     ///< what loads sent meanwhile; link_packets include theirs
  double control = 0;   ///< over the control network
  double loopback = 0;  ///< between processes of one rank, over its loopback device
};

/// Nothing until the counters at the end are recorded.
std::optional<SentBytes> sent_bytes(const CellRecord& record);

}  // namespace pacbench::record
