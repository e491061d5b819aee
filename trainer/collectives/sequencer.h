#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

namespace pacbench::trainer {

/// Decides when a rank's collectives are issued, so that all ranks issue them in one order although
/// their buckets become ready and complete at different times.
///
/// Collective number `stage` of bucket `b` has the key (b + 2 · stage, b); keys are issued in
/// ascending order, and a bucket that has ended gives up its later keys. So two buckets are on
/// the wire at a time, and the order depends on nothing but the methods' own structure.
///
/// Not synchronised: collectives are parked and issued on the rank's executor; begin and finish may
/// be called elsewhere only while no collective is under way.
class Sequencer {
 public:
  /// Issues the collective when called with null, else tells the waiting coroutine its failure.
  using Turn = std::function<void(std::exception_ptr)>;

  /// Begins an iteration of `buckets` buckets. Throws std::logic_error when the last one has not
  /// ended.
  void begin(int buckets);

  /// The next collective of `bucket` is ready; `turn` is called when it may be issued.
  void park(int bucket, Turn turn);

  /// The coroutine of `bucket` has ended, or will issue nothing more; may be said twice.
  void finish(int bucket);

  /// The first failure makes all that wait, and all that comes later, fail with it.
  void poison(std::exception_ptr failure);
  const std::exception_ptr& failure() const { return failure_; }

 private:
  struct BucketState {
    std::int64_t next_stage = 0;
    bool finished = false;
    Turn parked;
  };

  void issue_what_may_go();
  BucketState* lowest_key();

  std::vector<BucketState> buckets_;
  std::exception_ptr failure_;
};

}  // namespace pacbench::trainer
