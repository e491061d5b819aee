#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

namespace pacbench::trainer {

/// Decides when a rank's collectives are issued. All ranks issue them in one order, although their
/// buckets become ready and complete at different times.
///
/// Collective number `stage` of bucket `b` has the key (b + 2 · stage, b). Collectives are issued
/// in ascending order of their keys. A bucket that has ended gives up its later keys. So buckets of
/// one collective each are on the wire two at a time. The order depends only on how many
/// collectives each bucket has.
///
/// The sequencer takes no locks: collectives are parked and issued on the rank's executor. begin()
/// and finish() may be called elsewhere only while no collective is under way.
class Sequencer {
 public:
  /// Issues the collective when called with null, else passes the failure to the waiting coroutine.
  using Turn = std::function<void(std::exception_ptr)>;

  /// Begins an iteration of `buckets` buckets. Throws std::logic_error when the iteration before
  /// has neither ended nor failed.
  void begin(int buckets);

  /// Reports that the next collective of `bucket` is ready. Calls `turn` with null when it may be
  /// issued, or with the failure when poison() was or is called.
  void park(int bucket, Turn turn);

  /// Reports that the coroutine of `bucket` has ended or will issue nothing more. May be called
  /// twice.
  void finish(int bucket);

  /// Makes all waiting and later collectives fail with `failure`. A second call does nothing.
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
