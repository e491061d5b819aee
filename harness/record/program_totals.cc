#include "harness/record/program_totals.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pacbench::record {
namespace {

/// Counts over some time: bytes and packets that all ranks sent and received, and packets that all
/// links dropped.
struct Moved {
  std::int64_t sent_bytes = 0;
  std::int64_t sent_packets = 0;
  std::int64_t received_bytes = 0;
  std::int64_t dropped_packets = 0;
  std::int64_t retransmits = 0;
  std::int64_t control_bytes = 0;
  std::int64_t loopback_bytes = 0;
};

Moved counted_by(const netd::CountersReply& counters) {
  Moved moved;
  for (const auto& link : counters.links) {
    moved.dropped_packets += link.dropped_packets;
    if (!link.name.starts_with("worker")) continue;  // a trunk carries what workers have sent
    if (link.name.ends_with(".up")) {
      moved.sent_bytes += link.bytes;
      moved.sent_packets += link.packets;
    } else {
      moved.received_bytes += link.bytes;
    }
  }
  const auto sum = [](const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
  };
  moved.retransmits = sum(counters.retransmitted_segments);
  moved.control_bytes = sum(counters.control_bytes);
  moved.loopback_bytes = sum(counters.loopback_bytes);
  return moved;
}

Moved moved_in_training(const CellRecord& record) {
  if (!record.counters()) return {};
  auto moved = counted_by(*record.counters());
  if (!record.counters_at_start()) return moved;
  const auto before = counted_by(*record.counters_at_start());
  for (const auto member :
       {&Moved::sent_bytes, &Moved::sent_packets, &Moved::received_bytes, &Moved::dropped_packets,
        &Moved::retransmits, &Moved::control_bytes, &Moved::loopback_bytes}) {
    moved.*member -= before.*member;
  }
  return moved;
}

}  // namespace

CellRecord::Totals program_totals(const CellRecord& record) {
  CellRecord::Totals totals;
  if (!record.counters()) return totals;
  const auto moved = moved_in_training(record);
  const auto ranks = std::ssize(record.counters()->retransmitted_segments);
  totals.events = ranks * std::max<std::int64_t>(record.iterations(), 1);
  totals.sent_bytes = moved.sent_bytes;
  totals.sent_packets = moved.sent_packets;
  totals.received_bytes = moved.received_bytes;
  totals.retransmits = moved.retransmits;
  totals.dropped_packets = moved.dropped_packets;
  return totals;
}

double program_wall_s(const CellRecord& record) {
  double wall_s = 0;
  for (const auto& end : record.exited()) wall_s = std::max(wall_s, end.wall_s);
  return wall_s;
}

std::optional<SentBytes> sent_bytes(const CellRecord& record) {
  if (!record.counters()) return std::nullopt;
  const auto moved = moved_in_training(record);
  SentBytes sent;
  sent.links = static_cast<double>(moved.sent_bytes);
  sent.link_packets = moved.sent_packets;
  sent.control = static_cast<double>(moved.control_bytes);
  sent.loopback = static_cast<double>(moved.loopback_bytes);
  const auto& network = record.network();
  constexpr auto kEnd = std::numeric_limits<std::int64_t>::max();
  for (const auto& [load, samples] : network.loads()) {
    const auto before = network.frames_at(load, record.counted_from_ns());
    const auto after = network.frames_at(load, kEnd);
    sent.loads +=
        after.data_sent + after.acknowledgements - before.data_sent - before.acknowledgements;
  }
  sent.links = std::max(sent.links - sent.loads, 0.0);  // loads do not report to the byte
  return sent;
}

}  // namespace pacbench::record
