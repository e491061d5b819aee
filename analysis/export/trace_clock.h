#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "contract/worker/worker_event.h"

namespace pacbench::exports {

/// Places the cells of a run one after another on the time of a trace. Recorded times count from
/// the machine's start, and a resumed run may span several starts. So recorded cells may overlap,
/// and within a cell of mode learn the clock may even go back.
class TraceClock {
 public:
  /// The next cell begins one second after everything before it.
  void begin_cell() { offset_ns_.reset(); }

  /// Adds the next step of a rank, so that at() can place it on the trace.
  void follow(int rank, const Span& step) {
    const auto last = ends_ns_.find(rank);
    if (!offset_ns_ || (last != ends_ns_.end() && step.start_ns < last->second)) {
      offset_ns_ = latest_ns_ + kGap_ns - step.start_ns;
      ends_ns_.clear();
    }
    ends_ns_[rank] = step.end_ns;
    latest_ns_ = std::max(latest_ns_, at(step.end_ns));
  }

  /// Converts a recorded time to a time of the trace, where the first recorded step begins at 1 s.
  /// A time more than 1 s before that step becomes 0.
  std::int64_t at(std::int64_t recorded_ns) const {
    return std::max<std::int64_t>(recorded_ns + offset_ns_.value_or(0), 0);
  }
  Span at(const Span& span) const { return {at(span.start_ns), at(span.end_ns)}; }

 private:
  static constexpr std::int64_t kGap_ns = 1'000'000'000;

  std::optional<std::int64_t> offset_ns_;
  std::int64_t latest_ns_ = 0;
  std::map<int, std::int64_t> ends_ns_;
};

}  // namespace pacbench::exports
