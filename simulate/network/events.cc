#include "simulate/network/events.h"

#include <algorithm>
#include <utility>

namespace pacbench::simulate {

void Events::add(double at_s, Then then) {
  if (free_places_.empty()) {
    free_places_.push_back(waiting_.size());
    waiting_.emplace_back();
  }
  const auto place = free_places_.back();
  free_places_.pop_back();
  waiting_[place] = std::move(then);
  heap_.push_back({std::max(at_s, now_s_), added_++, place});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
}

void Events::run() {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
    const auto next = heap_.back();
    heap_.pop_back();
    now_s_ = next.at_s;
    // `then` may add events, which may move the elements of waiting_.
    const auto then = std::exchange(waiting_[next.place], nullptr);
    free_places_.push_back(next.place);
    then();
  }
}

}  // namespace pacbench::simulate
