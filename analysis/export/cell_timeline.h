#pragma once

#include <map>
#include <set>

#include "analysis/export/chrome_trace.h"
#include "analysis/export/link_rates.h"
#include "analysis/export/trace_clock.h"

namespace pacbench::exports {

/// Numbers of the processes in a run's timeline.
inline constexpr int kRunProcess = 1;
constexpr int process_of(int rank) { return kRunProcess + 1 + rank; }

/// Names processes and tracks of a trace as they turn up.
class TrackNames {
 public:
  explicit TrackNames(ChromeTrace& trace) : trace_{&trace} {}

  void require(int rank, std::size_t buckets);

 private:
  ChromeTrace* trace_;
  std::map<int, std::size_t> buckets_;  ///< how many are named so far, by rank
};

/// Writes one cell's part of a timeline, iteration by iteration.
class CellTimeline {
 public:
  /// `curve` maps iterations to the accuracy after them; not every iteration has one.
  CellTimeline(ChromeTrace& trace, TrackNames& names, TraceClock& clock, bool has_links,
               std::map<std::int64_t, double> curve);

  void add(const IterationEvent& event);

  bool empty() const { return span_.end_ns == 0; }
  /// The span of the added iterations on the trace, and their start as recorded.
  const Span& span() const { return span_; }
  std::int64_t recorded_start_ns() const { return recorded_start_ns_; }

  /// Adds the rate of each link direction until the cell's end. A worker's link is shown under its
  /// rank, a trunk under the run.
  void add_rates(const std::map<std::string, std::vector<RateChange>>& rates);

 private:
  void add_traffic(const IterationEvent& event);

  ChromeTrace* trace_;
  TrackNames* names_;
  TraceClock* clock_;
  bool has_links_;
  std::map<std::int64_t, double> curve_;
  Span span_;
  std::int64_t recorded_start_ns_ = 0;
};

}  // namespace pacbench::exports
