#pragma once

#include <cstdint>

#include "contract/fabric/netd_protocol.h"
#include "harness/record/network_trace.h"

namespace pacbench::cell {

/// The bytes that all workers had received over their links by `at_ns`. Every byte that crosses the
/// network reaches a worker.
struct Received {
  std::int64_t at_ns = 0;
  double all_bytes = 0;
  double load_bytes = 0;  ///< those of the cell's loads, as of each load's last report
};

Received received_at(std::int64_t at_ns, const netd::CountersReply& counters,
                     const record::NetworkTrace& network);

/// Whether a program surely moved bytes between two times: more were received than loads and others
/// can explain. Where links are the hosts' own interfaces, other programs and the harness send
/// too, at most `others_bytes_per_s` in all. Loads report late
/// and not to the byte, so what their reports may lack is not taken for the program's.
bool has_moved(const Received& before, const Received& now, double others_bytes_per_s);

}  // namespace pacbench::cell
