#include "simulate/network/events.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace pacbench::simulate {
namespace {

/// Removes all entries. Only a large bucket gives its memory back: a small one is soon filled
/// again.
template <typename Entry>
void empty(std::vector<Entry>& bucket) {
  constexpr std::size_t kKeptEntries = 1 << 14;
  if (bucket.capacity() > kKeptEntries) {
    bucket = std::vector<Entry>{};
  } else {
    bucket.clear();
  }
}

}  // namespace

void Events::add(double at_s, Then then) {
  if (free_places_.empty()) {
    free_places_.push_back(waiting_.size());
    waiting_.emplace_back();
  }
  const auto place = free_places_.back();
  free_places_.pop_back();
  waiting_[place] = std::move(then);
  const auto time = std::bit_cast<std::uint64_t>(at_s > now_s_ ? at_s : now_s_);
  buckets_[bucket_of(time)].push_back({time, place});
}

void Events::run() {
  auto& present = buckets_.front();
  while (advance()) {
    // A continuation may add events to the present ones, and may move the elements of waiting_.
    for (std::size_t next = 0; next < present.size(); ++next) {
      const auto place = present[next].place;
      const auto then = std::exchange(waiting_[place], nullptr);
      free_places_.push_back(place);
      then();
    }
    empty(present);
  }
}

std::size_t Events::bucket_of(std::uint64_t time) const {
  return static_cast<std::size_t>(std::bit_width(time ^ std::bit_cast<std::uint64_t>(now_s_)));
}

/// Lets time pass to the next events, and moves them to bucket 0; false when there are none. The
/// next events are in the first bucket that has any. Only this bucket's entries change their
/// buckets, and they keep their order.
bool Events::advance() {
  const auto first = std::find_if(buckets_.begin(), buckets_.end(),
                                  [](const auto& bucket) { return !bucket.empty(); });
  if (first == buckets_.end()) return false;
  if (first == buckets_.begin()) return true;
  const auto next = std::min_element(
      first->begin(), first->end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  now_s_ = std::bit_cast<double>(next->time);
  for (const auto& entry : *first) buckets_[bucket_of(entry.time)].push_back(entry);
  empty(*first);
  return true;
}

}  // namespace pacbench::simulate
