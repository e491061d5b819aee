#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/network/network.h"
#include "contract/worker/worker_event.h"
#include "harness/record/network_trace.h"

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

/// A phase of one rank's iteration on one of its tracks.
struct Slice {
  int track = 0;  ///< 0: what the training thread does; 1 + i: the exchange of bucket i
  const char* category = "";
  std::string name;
  Span span;
  Json args = Json::object();
};

/// The phases of an iteration; on each track they nest, and one that holds others comes first.
///   track 0      iteration > forward, backward, wait (for the means), optimizer
///   track 1 + i  bucket i > encode, queue (for its turn), the collective, ..., decode
std::vector<Slice> iteration_slices(const IterationEvent& event);

/// The bytes of a rank's incomplete collectives from `at_ns` on.
struct Backlog {
  std::int64_t at_ns = 0;
  std::int64_t bytes = 0;
};

/// The bytes of the collectives that are handed to the group and not complete. Each counts in full
/// until it ends. There is one value for each time of change, in order of time; the last is 0.
std::vector<Backlog> backlog(const IterationEvent& event);

/// The rate that a direction of a fabric has from `at_ns` on.
struct RateChange {
  std::int64_t at_ns = 0;
  double rate_mbit = 0;
};

/// The rates of a link profile over a cell's time, by name of the direction. Each list begins with
/// the rate at `start_ns`. In the directions that follow the schedule, each of its later steps
/// comes next, with the time at which, by the trace, it took effect. `scenario` is in canonical
/// form. Throws ConfigError naming `source` when the scenario does not have `link`.
std::map<std::string, std::vector<RateChange>> link_rates(const std::string& source,
                                                          const Json& scenario,
                                                          const std::string& link,
                                                          const record::NetworkTrace& trace,
                                                          std::int64_t start_ns);

}  // namespace pacbench::exports
