#pragma once

#include <functional>

#include "contract/catalogue/method_exchanges.h"
#include "contract/worker/worker_event.h"
#include "simulate/gloo/process_group.h"
#include "simulate/ranks/executor.h"
#include "simulate/ranks/turns.h"

namespace pacbench::simulate {

/// Converts simulated time to the nanoseconds of events.
std::int64_t in_ns(double seconds);

/// The things that the exchanges of one rank share.
struct RankParts {
  Network& network;
  Executor& executor;
  Turns& turns;
  /// Returns this rank's part of the group of `ranks` (empty: all); null when this rank is no
  /// member.
  std::function<ProcessGroup*(const std::vector<int>& ranks)> group_of;
  double compute_factor = 1;
};

/// Replays one bucket's recorded exchange (work, a collective, work, ...) on the rank's executor,
/// and records its trace.
class Exchange {
 public:
  /// `recorded` must outlive this object.
  Exchange(RankParts& parts, const MethodExchanges::Bucket& recorded, int bucket)
      : parts_{parts}, recorded_{recorded}, bucket_{bucket} {
    trace_.index = bucket;
    trace_.elements = recorded.elements;
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Starts the exchange of a bucket that is ready now. Calls `ended` when the exchange has ended;
  /// this object must live until then. `place` is the bucket's place in the turns.
  void start(int place, Then ended);

  const BucketTrace& trace() const { return trace_; }

 private:
  void call(std::size_t step);
  void issue(std::size_t step);
  void ended(std::size_t step, std::int64_t sent_bytes);
  void end();
  double work_s(double recorded_ms) const { return 1e-3 * recorded_ms * parts_.compute_factor; }
  std::int64_t now_ns() const { return in_ns(parts_.network.now_s()); }

  RankParts& parts_;
  const MethodExchanges::Bucket& recorded_;
  int bucket_;
  int place_ = 0;
  Then ended_;
  BucketTrace trace_;
};

}  // namespace pacbench::simulate
