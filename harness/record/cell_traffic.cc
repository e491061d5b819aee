#include "harness/record/cell_traffic.h"

#include <algorithm>
#include <limits>

#include "base/frames.h"
#include "contract/catalogue/method_entry.h"
#include "contract/fabric/fabric_spec.h"
#include "contract/scenario/fabric_request.h"
#include "harness/record/probe_plan.h"
#include "harness/record/program_bytes.h"

namespace pacbench::record {
namespace {

CellRecord::Totals totals_of(const plan::Cell& cell, const CellRecord& record) {
  return is_program(cell.method) ? program_totals(record) : record.totals();
}

/// A function that divides a sum over all ranks and iterations by the number of its events.
auto mean_per_event(const CellRecord::Totals& totals) {
  return [events = static_cast<double>(totals.events)](std::int64_t sum) {
    return static_cast<double>(sum) / events;
  };
}

/// The number of iterations by which the counters of a whole cell are divided. A program that
/// reports no steps counts as one iteration.
std::int64_t counted_iterations(const plan::Cell& cell, const CellRecord& record) {
  return std::max<std::int64_t>(record.iterations(), is_program(cell.method) ? 1 : 0);
}

/// The bytes of a trunk in an iteration, both directions together: the mean over trunks and
/// iterations. Absent without trunks, counters or iterations, and for topologies that only mode
/// simulate has.
std::optional<double> trunk_bytes_per_iteration(const Scenario& scenario, const plan::Cell& cell,
                                                const CellRecord& record) {
  const auto iterations = counted_iterations(cell, record);
  if (!has_network(scenario) || !record.counters() || iterations == 0 ||
      is_simulated_only(cell.link.topology)) {
    return std::nullopt;
  }
  const auto trunks = static_cast<int>(fabric_request(scenario, cell.link).trunks.size());
  if (trunks == 0) return std::nullopt;
  std::int64_t bytes = 0;
  for (const auto& link : record.counters()->links) {
    for (int trunk = 0; trunk < trunks; ++trunk) {
      if (link.name == netd::forward_name(trunk) || link.name == netd::backward_name(trunk)) {
        bytes += link.bytes;
      }
    }
  }
  return static_cast<double>(bytes) / trunks / static_cast<double>(iterations);
}

/// Divides the bytes of the busiest direction in the whole cell by the cell's iterations.
std::optional<double> busiest_link_bytes(const plan::Cell& cell, const CellRecord& record) {
  const auto iterations = counted_iterations(cell, record);
  if (!record.counters() || record.counters()->links.empty() || iterations == 0) {
    return std::nullopt;
  }
  const auto busiest =
      std::ranges::max_element(record.counters()->links, {}, &netd::LinkCounters::bytes);
  return static_cast<double>(busiest->bytes) / static_cast<double>(iterations);
}

}  // namespace

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

void add_traffic(CellResult& result, const Scenario& scenario, const plan::Cell& cell,
                 const CellRecord& record) {
  const auto totals = totals_of(cell, record);
  result.retransmits = totals.retransmits;
  result.dropped_packets = totals.dropped_packets;
  if (record.counters()) {
    result.dropped_packets = 0;
    for (const auto& link : record.counters()->links) {
      result.dropped_packets += link.dropped_packets;
    }
  }
  if (totals.events == 0) return;
  const auto mean = mean_per_event(totals);
  const auto load = load_traffic(cell.link.loads, record, is_program(cell.method));
  const auto events = static_cast<double>(totals.events);
  result.measured_bytes_per_iteration = mean(totals.sent_bytes) - load.sent_bytes / events;
  result.received_bytes_per_iteration = mean(totals.received_bytes) - load.received_bytes / events;
  const auto declared = mean(totals.expected_sent_bytes);
  result.expected_bytes_per_iteration =
      !has_network(scenario) ? declared : with_headers(declared, scenario.network.mtu);
  result.payload_bytes_per_iteration = mean(totals.payload_bytes);
  if (!is_program(cell.method)) result.collectives_per_iteration = mean(totals.collectives);
  result.trunk_bytes_per_iteration = trunk_bytes_per_iteration(scenario, cell, record);
  result.busiest_link_bytes_per_iteration = busiest_link_bytes(cell, record);
}

std::optional<WireBytes> wire_bytes(const Scenario& scenario, const CellRecord& record) {
  const auto& totals = record.totals();
  if (!record.wire_is_explained() || totals.events == 0) return std::nullopt;
  const auto mean = mean_per_event(totals);
  const auto mtu = scenario.network.mtu;
  WireBytes bytes;
  bytes.counted = mean(totals.sent_bytes);
  bytes.explained = mean(totals.stream_bytes + kFrameHeaderBytes * totals.sent_packets);
  bytes.resent = mean(totals.retransmits * segment_bytes(mtu));
  bytes.frame = static_cast<double>(frame_bytes(mtu));
  bytes.iterations = record.iterations();
  return bytes;
}

Losses losses(const Scenario& scenario, const plan::Cell& cell, const CellRecord& record) {
  const auto totals = totals_of(cell, record);
  const auto request = fabric_request(scenario, cell.link);
  Losses losses{totals.dropped_packets, totals.retransmits};
  losses.segments_per_packet = netd::largest_packet_bytes(request) / segment_bytes(request.mtu) + 1;
  // The totals of a program count all links, trunks included.
  if (record.counters() && !is_program(cell.method)) {
    for (const auto& link : record.counters()->links) {
      if (link.name.starts_with("trunk")) losses.dropped_between_switches += link.dropped_packets;
    }
  }
  if (is_plain(request)) losses.sent_segments = totals.sent_bytes / frame_bytes(request.mtu);
  return losses;
}

}  // namespace pacbench::record
