#include "harness/record/load_traffic.h"

#include <limits>

namespace pacbench::record {

LoadTraffic load_traffic(const std::vector<Load>& loads, const CellRecord& record,
                         bool of_program) {
  LoadTraffic sum;
  const auto& network = record.network();
  const auto windows_of = [&](int rank) {
    if (of_program) {
      return std::vector{Span{record.counted_from_ns(), std::numeric_limits<std::int64_t>::max()}};
    }
    const auto found = record.counted().find(rank);
    return found == record.counted().end() ? std::vector<Span>{} : found->second;
  };
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto number = static_cast<int>(i);
    for (const auto& window : windows_of(loads[i].from)) {
      const auto before = network.frames_at(number, window.start_ns);
      const auto after = network.frames_at(number, window.end_ns);
      sum.sent_bytes += after.data_sent - before.data_sent;
      sum.received_bytes += after.acknowledgements - before.acknowledgements;
    }
    for (const auto& window : windows_of(loads[i].to)) {
      const auto before = network.frames_at(number, window.start_ns);
      const auto after = network.frames_at(number, window.end_ns);
      sum.received_bytes += after.data_received - before.data_received;
      sum.sent_bytes += after.acknowledgements - before.acknowledgements;
    }
  }
  return sum;
}

}  // namespace pacbench::record
