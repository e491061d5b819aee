#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/clock.h"
#include "contract/worker/worker_event.h"

namespace pacbench::trainer {

/// Sleeps until CLOCK_MONOTONIC shows `when_ns` or later, without the timer slack that the kernel
/// may add (50 us by default).
void sleep_until_monotonic(std::int64_t when_ns);

/// The same for an emulated time.
inline void sleep_until(std::int64_t emulated) { sleep_until_monotonic(monotonic_ns(emulated)); }

/// With time dilation, gives the calling thread a core of its own in emulated time: a piece of
/// computing that costs the thread c seconds of CPU time ends c emulated seconds after its start,
/// however many threads share the CPUs meanwhile, and the thread waits until then. A thread that
/// gets too little of the CPUs for that is late. It may make that up in its next piece, which began
/// when this one was due. Without dilation only the factor of catch_up() has an effect.
///
/// Each thread has one object. Its pieces must not contain waits, such as those for another thread.
class OwnCore {
 public:
  static OwnCore& of_this_thread();

  /// Begins a piece, at an earlier time of CLOCK_MONOTONIC where the thread should have had a CPU
  /// since then.
  void begin(std::int64_t clock_ns = monotonic_ns());

  /// The cost of the piece so far. With time dilation it is the thread's CPU time. At full speed it
  /// is the time since the piece began, since the thread counts as having a core already.
  std::int64_t cost_ns() const;

  /// Ends the piece and begins the next one. With a factor the piece takes that many times as long.
  /// A piece that cost more than `most_ns` counts as that long. Other threads or workers see this
  /// end, so that a late one is noted, from when it was due, or would have been as late as the
  /// last.
  void catch_up(double factor = 1, std::int64_t most_ns = kAnyCost);
  static constexpr auto kAnyCost = std::numeric_limits<std::int64_t>::max();

  /// The same at an end that only this thread sees.
  void go_on(double factor = 1, std::int64_t most_ns = kAnyCost);

  /// From now on the thread has a core so many times as fast as one of this machine.
  void take_speed(double times) { speed_ = times; }

  /// Counts what another thread computed for this one, which waited for it, as part of the piece.
  void add_cost(std::int64_t ns) { cpu_ns_ -= ns; }

  /// When the piece began, or should have.
  std::int64_t began_ns() const { return began_ns_; }

  /// Ends the piece of the calling thread, and begins the next one when destroyed: for a wait.
  class Pause {
   public:
    Pause() { of_this_thread().catch_up(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause() { of_this_thread().begin(); }
  };

  /// The times since the last call in which a thread of this process was late, in emulated time.
  static std::vector<Span> take_late();

 private:
  OwnCore() { begin(); }
  void begin_next(std::int64_t clock_ns);

  double speed_ = 1;
  std::int64_t began_ns_ = 0;   ///< of CLOCK_MONOTONIC
  std::int64_t behind_ns_ = 0;  ///< how late the last seen end was, on the clock
  std::int64_t cpu_ns_ = 0;     ///< CPU time of the thread at the piece's beginning
};

}  // namespace pacbench::trainer
