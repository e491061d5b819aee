#include "harness/record/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "harness/record/spans.h"
#include "harness/store/files.h"

namespace pacbench {

template <>
struct JsonFields<HostSample> {
  using T = HostSample;
  // The last two are absent in runs of an earlier pacbench, whose shares are of all CPUs.
  static constexpr std::tuple kAll{required("idle", &T::idle), required("softirq", &T::softirq),
                                   required("pressure", &T::pressure),
                                   sparse("usable_cpus", &T::usable_cpus),
                                   sparse("machine_cpus", &T::machine_cpus)};
};

}  // namespace pacbench

namespace pacbench::record {
namespace {

using namespace std::string_view_literals;

// HTB lets a class send one burst beyond its rate. kRateSlack allows for counters that are read a
// little before or after the end of a window.
constexpr double kBurstBytes = 15'000;
constexpr double kRateSlack = 1.03;

/// The time from the issue of a bucket's first collective to the completion of its last.
std::optional<double> time_on_wire_s(const BucketTrace& bucket) {
  if (bucket.collectives.empty()) return std::nullopt;
  Span all = bucket.collectives.front().wire;
  for (const auto& collective : bucket.collectives) {
    all.start_ns = std::min(all.start_ns, collective.wire.start_ns);
    all.end_ns = std::max(all.end_ns, collective.wire.end_ns);
  }
  return length_s(all);
}

Json event_of(EventKind kind, Json values) {
  values["event"] = kind;
  return values;
}

/// The time that buckets spent in encode and decode, without their wait for a turn on the wire.
double encode_s(const IterationEvent& event) {
  double sum_s = 0;
  for (const auto& phase : iteration_phases(event)) {
    if (phase.kind == "encode"sv || phase.kind == "decode"sv) sum_s += length_s(phase.time);
  }
  return sum_s;
}

}  // namespace

Json to_json(const Training& training) { return event_of(EventKind::kTraining, training); }

Json CellRecord::pretrained_event(double elapsed_s) {
  return {{"event", EventKind::kPretrained}, {"seconds", elapsed_s}};
}

Json CellRecord::ended_event(const End& end) {
  return {{"event", EventKind::kEnded}, {"status", end.status}, {"reason", end.reason}};
}

Json CellRecord::host_event(const HostSample& sample) { return event_of(EventKind::kHost, sample); }

Json CellRecord::meter_event(const MachineTrace& machine, int attempt) {
  auto event = event_of(EventKind::kMeter, machine);
  event["attempt"] = attempt;
  return event;
}

Json CellRecord::counters_event(const netd::CountersReply& counters) {
  return event_of(EventKind::kCounters, netd::to_json(counters));
}

Json CellRecord::counters_at_start_event(const netd::CountersReply& counters, std::int64_t at_ns) {
  auto event = event_of(EventKind::kCountersAtStart, netd::to_json(counters));
  event["at_ns"] = at_ns;
  return event;
}

EventKind CellRecord::add(const Json& event) {
  static constexpr const char* kRefusal = "the event lacks a value, or has a wrong one: {}";
  try {
    const auto kind = kind_of(event);
    check_rank(event);
    take(kind, event);
    return kind;
  } catch (const Json::exception& error) {
    throw ProtocolError{fmt::format(kRefusal, error.what())};
  } catch (const std::invalid_argument& error) {
    throw ProtocolError{fmt::format(kRefusal, error.what())};
  }
}

void CellRecord::check_rank(const Json& event) const {
  if (!workers_ || !event.contains("rank")) return;
  const auto rank = event.at("rank").get<std::int64_t>();
  if (rank >= 0 && rank < *workers_) return;
  throw ProtocolError{fmt::format("found \"rank\": {}, expected a number from 0 to {}",
                                  event.at("rank").dump(), *workers_ - 1)};
}

void CellRecord::take(EventKind kind, const Json& event) {
  switch (kind) {
    case EventKind::kIteration:
      return add(event.get<IterationEvent>());
    case EventKind::kEvaluation:
      curve_.push_back(event.get<EvaluationEvent>());
      return;
    case EventKind::kReady:
      ready_.insert_or_assign(event.at("rank").get<int>(), event.get<ReadyEvent>());
      return;
    case EventKind::kDone:
      done_.insert_or_assign(event.at("rank").get<int>(), event.get<DoneEvent>());
      return;
    case EventKind::kFailed:
      failed_.insert_or_assign(event.at("rank").get<int>(), failed_event_from_json(event));
      return;
    case EventKind::kQuality:
      return add(event.get<QualityEvent>());
    case EventKind::kPruned:
      return add(event.get<PrunedEvent>());
    case EventKind::kAlive:
      return;
    case EventKind::kBegan:
      event.get<BeganEvent>();
      return;
    case EventKind::kStep:
      return add(event.get<StepEvent>());
    case EventKind::kExited:
      exited_.push_back(event.get<RankExitedEvent>());
      return;
    case EventKind::kCountersAtStart:
      at_start_ = netd::message_from_json<netd::CountersReply>(event);
      counted_from_ns_ = event.value("at_ns", std::int64_t{0});
      return;
    case EventKind::kPretrained:
      pretrain_s_ = event.at("seconds");
      return;
    case EventKind::kTraining:
      training_ = event.get<Training>();
      return;
    case EventKind::kEnded:
      end_ = {event.at("status"), event.at("reason")};
      return;
    case EventKind::kHost:
      host_.push_back(event.get<HostSample>());
      return;
    case EventKind::kMeter:
      machine_ = event.get<MachineTrace>();
      event.at("attempt").get_to(attempt_);
      return;
    case EventKind::kCounters:
      counters_ = netd::message_from_json<netd::CountersReply>(event);
      return;
    case EventKind::kScheduled:
    case EventKind::kStepped:
    case EventKind::kLoad:
      network_.add(kind, event);
      if (kind == EventKind::kScheduled) limits_.schedule_started(*network_.schedule_start_ns());
      return;
    case EventKind::kProbe:
      throw ProtocolError{
          "found an event \"probe\" among a cell's events, expected it in the run's probes.jsonl"};
  }
}

void CellRecord::add(const StepEvent& event) {
  auto& counted = counted_[event.rank];
  if (counted.empty()) counted.push_back(event.step);
  counted.back().end_ns = event.step.end_ns;
  if (event.rank != 0) return;
  iterations_ = event.iteration;
  training_s_ = event.training_s;
  steps_.push_back({.step_s = length_s(event.step),
                    .clock_s = event.training_s,
                    .time = event.step,
                    .iteration = event.iteration});
}

void CellRecord::add(const PrunedEvent& event) {
  mask_sample_ = event.mask_sample;
  pruning_.push_back({event.iteration, event.seconds});
  pruned_s_[event.iteration] = event.seconds;
}

void CellRecord::add(const IterationEvent& event) {
  ++totals_.events;
  totals_.sent_bytes += event.traffic.sent_bytes;
  totals_.sent_packets += event.traffic.sent_packets;
  totals_.received_bytes += event.traffic.received_bytes;
  totals_.expected_sent_bytes += event.expected_sent_bytes;
  totals_.retransmits += event.traffic.retransmits;
  totals_.dropped_packets += event.traffic.dropped_packets;
  for (const auto& bucket : event.buckets) {
    totals_.collectives += std::ssize(bucket.collectives);
    for (const auto& collective : bucket.collectives) {
      totals_.payload_bytes += collective.payload_bytes;
    }
  }
  if (explained_workers_) totals_.stream_bytes += gloo_stream_bytes(event, *explained_workers_);
  check_rate(event, note_counted(event));
  if (event.rank == 0) add_step(event);
  note_late(event);
}

void CellRecord::add_step(const IterationEvent& event) {
  iterations_ = event.iteration;
  training_s_ = event.training_s;
  steps_.push_back({length_s(event.step), length_s(event.forward) + length_s(event.backward),
                    length_s(event.exposed), encode_s(event), covered_s(wire_spans(event.buckets)),
                    event.traffic.sent_bytes, event.training_s, event.expected_sent_bytes, 0,
                    event.step, event.iteration});
  for (const auto& bucket : event.buckets) {
    if (const auto wire_s = time_on_wire_s(bucket)) bucket_wire_s_.push_back(*wire_s);
  }
  add_compaction(event);
}

/// Ranks report an iteration one after another. Its late time is that of the rank that was late for
/// the longest.
void CellRecord::note_late(const IterationEvent& event) {
  if (!sleeps_ && event.late.empty()) return;
  auto& late_s = late_s_[event.iteration];
  auto late = event.late;
  if (sleeps_) std::ranges::copy(sleeps_->late(event), std::back_inserter(late));
  // A bucket that comes late while an earlier one is on the wire delays nothing: one bucket is
  // assumed to fill the link.
  late_s = std::max(late_s, uncovered_s(late, wire_spans(event.buckets)));
  if (event.iteration >= 1 && event.iteration <= std::ssize(steps_)) {
    steps_[static_cast<std::size_t>(event.iteration) - 1].late_s = late_s;
  }
}

void CellRecord::add_compaction(const IterationEvent& event) {
  std::int64_t dense = 0;
  std::int64_t exchanges = 0;
  for (const auto& bucket : event.buckets) {
    if (!bucket.notes.contains("stable")) continue;
    ++exchanges;
    dense += bucket.notes.at("stable").get<bool>() ? 0 : 1;
  }
  compaction_.exchanges += exchanges;
  compaction_.dense += dense;
  if (exchanges > 0 && dense == 0 && !compaction_.first_whole) {
    compaction_.first_whole = event.iteration;
  }
}

void CellRecord::add(const QualityEvent& event) {
  vnmse_.push_back(event.vnmse);
  cosine_.push_back(event.cosine);
  if (event.density) density_.push_back(*event.density);
  residual_norm_ = event.residual_norm;
}

/// Counters are read at the end of each step, so the counted bytes had all the time since the last
/// reading to cross the link. Bytes sent to agree on masks are counted apart, before a step begins;
/// but a queue may hold the last of them until later. So after pruning, and in the first iteration,
/// the window starts as early as the training clock says. Returns this window. The span that is
/// kept for loads begins after pruning, since a load's bytes during pruning are not among the
/// counted ones.
Span CellRecord::note_counted(const IterationEvent& event) {
  auto& counted = counted_[event.rank];
  const double since_last_s =
      event.training_s - std::exchange(clock_s_[event.rank], event.training_s);
  auto start_ns = event.step.end_ns - static_cast<std::int64_t>(since_last_s * 1e9);
  const auto pruned = pruned_s_.find(event.iteration - 1);
  if (pruned == pruned_s_.end() && !counted.empty()) start_ns = counted.back().end_ns;
  const auto pruning_ns =
      pruned == pruned_s_.end() ? 0 : static_cast<std::int64_t>(pruned->second * 1e9);
  const Span own{std::min(start_ns + pruning_ns, event.step.start_ns), event.step.end_ns};
  if (joins_counted_ && !counted.empty() && counted.back().end_ns == own.start_ns) {
    counted.back().end_ns = own.end_ns;
  } else {
    counted.push_back(own);
  }
  return {std::min(start_ns, event.step.start_ns), event.step.end_ns};
}

void CellRecord::check_rate(const IterationEvent& event, const Span& window) {
  if (!limits_.any()) return;
  Excess counted{event.rank, event.iteration,          1,
                 window,     event.traffic.sent_bytes, event.traffic.received_bytes};
  counted.ratio = ratio_to_possible(counted, window);
  if (counted.ratio > 1) excesses_.push_back(counted);
}

std::optional<MachineTrace> CellRecord::machine_in_training() const {
  if (!machine_ || steps_.empty()) return machine_;
  return part_of(*machine_, steps_.front().time.start_ns, steps_.back().time.end_ns);
}

double CellRecord::ratio_to_possible(const Excess& counted, const Span& window) const {
  const auto most = limits_.between(counted.rank, window.start_ns, window.end_ns);
  const auto ratio = [](std::int64_t bytes, double possible) {
    return static_cast<double>(bytes) / (possible * kRateSlack + kBurstBytes);
  };
  return std::max(ratio(counted.sent_bytes, most.sent),
                  ratio(counted.received_bytes, most.received));
}

CellRecord read_record(const std::string& cell_folder, CellRecord record) {
  for (const char* name : {"network.jsonl", "events.jsonl", "iterations.jsonl", "curve.jsonl"}) {
    const auto path = fmt::format("{}/{}", cell_folder, name);
    store::for_each_event(
        path, store::Broken::kRefuse,
        [&](const Json& event, const std::string&, std::size_t number) {
          try {
            record.add(event);
          } catch (const ProtocolError& error) {
            throw ConfigError{fmt::format("{}:{}", path, number), {{"", error.what()}}};
          }
        });
  }
  return record;
}

}  // namespace pacbench::record
