#pragma once

#include <cstdint>

#include "contract/fabric/netd_protocol.h"
#include "harness/record/network_trace.h"

namespace pacbench::cell {

/// The bytes that all workers had received over their links at one time. Every byte that crosses
/// the network reaches a worker.
struct Received {
  std::int64_t at_ns = 0;
  double all_bytes = 0;
  double load_bytes = 0;  ///< those of the cell's loads, as of each load's last report
};

Received received_at(std::int64_t at_ns, const netd::CountersReply& counters,
                     const record::NetworkTrace& network);

/// Whether between two times a program moved more bytes than others may have moved.
/// `others_bytes_per_s` is the traffic of others that are no loads. Bytes of loads are told apart
/// only as far as loads have reported them, so a few of them may be taken for others.
bool has_moved(const Received& before, const Received& now, double others_bytes_per_s);

}  // namespace pacbench::cell
