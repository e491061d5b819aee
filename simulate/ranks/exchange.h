#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "contract/catalogue/method_exchanges.h"
#include "contract/worker/worker_event.h"
#include "simulate/gloo/process_group.h"

namespace pacbench::simulate {

/// Converts simulated time to the nanoseconds of events.
std::int64_t in_ns(double seconds);

/// Decides when a rank's collectives start, so that all ranks start them in one order: ascending by
/// (bucket + 2 · stage, bucket). `stage` numbers a bucket's collectives from 0. A bucket that has
/// ended gives up its later stages. The worker follows the same rule
/// (trainer/collectives/sequencer.h).
class Turns {
 public:
  void begin(int buckets);

  /// Reports that the next collective of `bucket` is ready; calls `start` when its turn comes.
  void ask(int bucket, Then start);

  /// Reports that the bucket starts nothing more.
  void finish(int bucket);

 private:
  struct Bucket {
    std::int64_t stage = 0;
    bool finished = false;
    Then parked{};
  };

  void start_what_may_go();
  Bucket* next();

  std::vector<Bucket> buckets_;
};

/// The one thread on which a rank's exchanges work, in simulated time. Work that continues an
/// exchange runs before work that begins one, as in the worker (trainer/collectives/executor.h).
class Executor {
 public:
  explicit Executor(Network& network) : network_{network} {}

  /// Calls `then` after `work_s` of work, behind all that was posted before or is posted ahead.
  void post(double work_s, Then then) { add(queue_, work_s, std::move(then)); }
  /// Calls `then` after `work_s` of work, before everything that waits in `post`'s queue.
  void post_ahead(double work_s, Then then) { add(ahead_, work_s, std::move(then)); }

 private:
  struct Work {
    double work_s = 0;
    Then then;
  };
  using Queue = std::deque<Work>;

  void add(Queue& queue, double work_s, Then then);
  void run();

  Network& network_;
  Queue ahead_;
  Queue queue_;
  bool busy_ = false;
};

/// The things that the exchanges of one rank share.
struct RankParts {
  Network& network;
  Groups groups;
  double compute_factor = 1;
  Executor executor{network};
  Turns turns{};
};

/// Replays one bucket's recorded exchange (work, a collective, work, ...) on the rank's executor,
/// and records its trace.
class Exchange {
 public:
  /// `recorded` must outlive this object.
  Exchange(RankParts& parts, const MethodExchanges::Bucket& recorded, int bucket)
      : parts_{parts}, recorded_{recorded} {
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
  double work_before_s(std::size_t step) const;
  std::int64_t now_ns() const { return in_ns(parts_.network.now_s()); }

  RankParts& parts_;
  const MethodExchanges::Bucket& recorded_;
  int place_ = 0;
  Then ended_;
  BucketTrace trace_;
};

}  // namespace pacbench::simulate
