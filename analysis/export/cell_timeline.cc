#include "analysis/export/cell_timeline.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "analysis/export/iteration_slices.h"

namespace pacbench::exports {
namespace {

constexpr double kBitsPerByte = 8;

/// The place of a counter: its process, and its name within that process.
struct Place {
  int process = kRunProcess;
  std::string name;
};

/// Returns the place of a direction: "worker3.up" is shown under rank 3, trunks under the run.
Place place_of(const std::string& direction) {
  constexpr std::string_view kWorker = "worker";
  int rank = 0;
  const auto* digits = direction.data() + kWorker.size();
  const auto* end = direction.data() + direction.size();
  if (!direction.starts_with(kWorker)) return {kRunProcess, "link " + direction};
  const auto parsed = std::from_chars(digits, end, rank);
  return {process_of(rank), "link " + std::string(parsed.ptr + 1, end)};
}

}  // namespace

void TrackNames::require(int rank, std::size_t buckets) {
  const auto [named, is_new] = buckets_.try_emplace(rank, 0);
  if (is_new) {
    trace_->name_process(process_of(rank), fmt::format("rank {}", rank));
    trace_->name_track(process_of(rank), 0, "compute");
  }
  for (auto& count = named->second; count < buckets; ++count) {
    trace_->name_track(process_of(rank), 1 + static_cast<int>(count),
                       fmt::format("exchange of bucket {}", count));
  }
}

CellTimeline::CellTimeline(ChromeTrace& trace, TrackNames& names, TraceClock& clock, bool has_links,
                           std::map<std::int64_t, double> curve)
    : trace_{&trace},
      names_{&names},
      clock_{&clock},
      has_links_{has_links},
      curve_{std::move(curve)} {
  clock.begin_cell();
}

void CellTimeline::add(const IterationEvent& event) {
  clock_->follow(event.rank, event.step);
  const auto step = clock_->at(event.step);
  if (empty()) {
    span_ = step;
    recorded_start_ns_ = event.step.start_ns;
  }
  span_ = {std::min(span_.start_ns, step.start_ns), std::max(span_.end_ns, step.end_ns)};
  recorded_start_ns_ = std::min(recorded_start_ns_, event.step.start_ns);
  names_->require(event.rank, event.buckets.size());
  for (const auto& slice : iteration_slices(event)) {
    trace_->slice(process_of(event.rank), slice.track, slice.category, slice.name,
                  clock_->at(slice.span), slice.args);
  }
  for (const auto& [at_ns, bytes] : backlog(event)) {
    trace_->counter(process_of(event.rank), "left to send", "bytes", clock_->at(at_ns),
                    static_cast<double>(bytes));
  }
  if (has_links_) add_traffic(event);
  if (event.rank != 0) return;
  if (const auto found = curve_.find(event.iteration); found != curve_.end()) {
    trace_->counter(kRunProcess, "accuracy", "share", step.end_ns, found->second);
  }
}

void CellTimeline::add_traffic(const IterationEvent& event) {
  const auto step = clock_->at(event.step);
  if (step.end_ns <= step.start_ns) return;
  const auto seconds = static_cast<double>(step.end_ns - step.start_ns) * 1e-9;
  const auto mbit = [&](std::int64_t bytes) {
    return static_cast<double>(bytes) * kBitsPerByte / 1e6 / seconds;
  };
  const auto process = process_of(event.rank);
  trace_->counter(process, "sent", "Mbit/s", step.start_ns, mbit(event.traffic.sent_bytes));
  trace_->counter(process, "received", "Mbit/s", step.start_ns, mbit(event.traffic.received_bytes));
  trace_->counter(process, "sent", "Mbit/s", step.end_ns, 0);
  trace_->counter(process, "received", "Mbit/s", step.end_ns, 0);
}

void CellTimeline::add_rates(const std::map<std::string, std::vector<RateChange>>& rates) {
  for (const auto& [direction, changes] : rates) {
    const auto place = place_of(direction);
    for (const auto& [at_ns, rate_mbit] : changes) {
      const auto at = clock_->at(at_ns);
      if (at > span_.end_ns) break;
      trace_->counter(place.process, place.name.c_str(), "Mbit/s", at, rate_mbit);
    }
  }
}

}  // namespace pacbench::exports
