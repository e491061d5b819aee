#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace pacbench::simulate {

/// The continuation of an operation; called once, in simulated time.
using Then = std::function<void()>;

/// Simulated time, and the events that happen in it. Events for the same time happen in the order
/// in which they were added.
///
/// The queue is a radix heap (Ahuja, Mehlhorn, Orlin and Tarjan, J. ACM 37(2), 1990, section 3),
/// which needs what holds here: no event is added for a time that is past. It moves its entries in
/// the order in which they lie in memory, where a binary heap jumps.
class Events {
 public:
  double now_s() const { return now_s_; }

  /// Adds an event that calls `then` at `at_s`, or at the present time when `at_s` is past.
  void add(double at_s, Then then);

  /// Lets time pass until no event is left.
  void run();

 private:
  struct Entry {
    std::uint64_t time;  ///< the bits of the seconds; for numbers from 0 on their order is the same
    std::size_t place;   ///< in waiting_
  };

  std::size_t bucket_of(std::uint64_t time) const;
  bool advance();

  double now_s_ = 0;
  /// In bucket 0 the events of the present time, in bucket b the later ones whose time differs from
  /// the present time in bit b - 1, counted from the lowest bit, and in no higher bit.
  std::array<std::vector<Entry>, 65> buckets_;
  std::vector<Then> waiting_;             ///< continuations of the events in the buckets
  std::vector<std::size_t> free_places_;  ///< in waiting_
};

}  // namespace pacbench::simulate
