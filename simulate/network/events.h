#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace pacbench::simulate {

/// The continuation of an operation; called once, in simulated time.
using Then = std::function<void()>;

/// Simulated time, and the events that happen in it. Events for the same time happen in the order
/// in which they were added.
class Events {
 public:
  double now_s() const { return now_s_; }

  /// Adds an event that calls `then` at `at_s`, or at the present time when `at_s` is past.
  void add(double at_s, Then then);

  /// Lets time pass until no event is left.
  void run();

 private:
  struct Entry {
    double at_s;
    std::uint64_t number;
    std::size_t place;  ///< in waiting_

    bool operator>(const Entry& other) const {
      return at_s != other.at_s ? at_s > other.at_s : number > other.number;
    }
  };

  double now_s_ = 0;
  std::uint64_t added_ = 0;
  std::vector<Entry> heap_;               ///< the next event on top
  std::vector<Then> waiting_;             ///< continuations of the events on the heap
  std::vector<std::size_t> free_places_;  ///< in waiting_
};

}  // namespace pacbench::simulate
