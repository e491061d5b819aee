#include "harness/cell_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"

namespace pacbench {
namespace {

// HTB lets a class send one burst beyond its rate; the rest is slack for when counters are read.
constexpr double kBurstBytes = 15'000;
constexpr double kRateSlack = 1.03;

double length_s(const Span& span) { return seconds(span.end_ns - span.start_ns); }

/// From the first collective of a bucket being issued to the completion of its last.
std::optional<double> time_on_wire_s(const BucketTrace& bucket) {
  if (bucket.collectives.empty()) return std::nullopt;
  Span all = bucket.collectives.front().wire;
  for (const auto& collective : bucket.collectives) {
    all.start_ns = std::min(all.start_ns, collective.wire.start_ns);
    all.end_ns = std::max(all.end_ns, collective.wire.end_ns);
  }
  return length_s(all);
}

}  // namespace

Json CellRecord::host_event(double idle_share) { return {{"event", "host"}, {"idle", idle_share}}; }

Json CellRecord::counters_event(const netd::CountersReply& counters) {
  auto event = netd::to_json(counters);
  event["event"] = "counters";
  return event;
}

std::string CellRecord::add(const Json& event) {
  try {
    const std::string kind = event.at("event");
    if (kind == "iteration") {
      add(iteration_event_from_json(event));
    } else if (kind == "evaluation") {
      curve_.push_back(evaluation_event_from_json(event));
    } else if (kind == "ready") {
      auto ready = ready_event_from_json(event);
      ready_[ready.rank] = std::move(ready);
    } else if (kind == "done") {
      auto done = done_event_from_json(event);
      done_[done.rank] = done;
    } else if (kind == "failed") {
      auto failed = failed_event_from_json(event);
      failed_[failed.rank] = std::move(failed);
    } else if (kind == "quality") {
      quality_event_from_json(event);
    } else if (kind == "pruned") {
      pruned_event_from_json(event);
    } else if (kind == "alive") {
      return kind;
    } else if (kind == "host") {
      idle_shares_.push_back(event.at("idle"));
    } else if (kind == "counters") {
      counters_ = netd::counters_reply_from_json(event);
    } else {
      throw ProtocolError{fmt::format("an event of unknown kind \"{}\"", kind)};
    }
    return kind;
  } catch (const Json::exception& error) {
    throw ProtocolError{fmt::format("no event: {}", error.what())};
  }
}

void CellRecord::add(const IterationEvent& event) {
  ++totals_.events;
  totals_.sent_bytes += event.traffic.sent_bytes;
  totals_.received_bytes += event.traffic.received_bytes;
  totals_.expected_sent_bytes += event.expected_sent_bytes;
  totals_.retransmits += event.traffic.retransmits;
  totals_.dropped_packets += event.traffic.dropped_packets;
  for (const auto& bucket : event.buckets) {
    for (const auto& collective : bucket.collectives) {
      totals_.payload_bytes += collective.payload_bytes;
    }
  }
  check_rate(event);
  if (event.rank != 0) return;
  iterations_ = event.iteration;
  training_s_ = event.training_s;
  steps_.push_back({length_s(event.step), length_s(event.forward) + length_s(event.backward),
                    length_s(event.exposed)});
  for (const auto& bucket : event.buckets) {
    if (const auto wire_s = time_on_wire_s(bucket)) bucket_wire_s_.push_back(*wire_s);
  }
}

void CellRecord::check_rate(const IterationEvent& event) {
  // Counters are read at the end of each step, so the bytes had all the time since the last one.
  const auto last = last_end_ns_.find(event.rank);
  const auto since_ns = last == last_end_ns_.end() ? event.step.start_ns : last->second;
  const double possible =
      rate_bytes_per_s_ * seconds(event.step.end_ns - since_ns) * kRateSlack + kBurstBytes;
  last_end_ns_[event.rank] = event.step.end_ns;
  const auto most = std::max(event.traffic.sent_bytes, event.traffic.received_bytes);
  if (static_cast<double>(most) > possible) {
    excesses_.push_back({event.rank, event.iteration, static_cast<double>(most) / possible});
  }
}

}  // namespace pacbench
