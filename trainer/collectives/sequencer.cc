#include "trainer/collectives/sequencer.h"

#include <stdexcept>
#include <utility>

namespace pacbench::trainer {

void Sequencer::begin(int buckets) {
  for (const auto& bucket : buckets_) {
    if (!bucket.finished && !failure_) {
      throw std::logic_error{"an iteration began before the last one's exchange had ended"};
    }
  }
  buckets_.assign(static_cast<std::size_t>(buckets), BucketState{});
}

void Sequencer::park(int bucket, Turn turn) {
  if (failure_) return turn(failure_);
  buckets_.at(static_cast<std::size_t>(bucket)).parked = std::move(turn);
  issue_what_may_go();
}

void Sequencer::finish(int bucket) {
  buckets_.at(static_cast<std::size_t>(bucket)).finished = true;
  issue_what_may_go();
}

void Sequencer::poison(std::exception_ptr failure) {
  if (failure_) return;
  failure_ = std::move(failure);
  for (auto& bucket : buckets_) {
    if (auto turn = std::exchange(bucket.parked, {})) turn(failure_);
  }
}

void Sequencer::issue_what_may_go() {
  for (auto* bucket = lowest_key(); bucket != nullptr && bucket->parked; bucket = lowest_key()) {
    ++bucket->next_stage;
    std::exchange(bucket->parked, {})(nullptr);
  }
}

Sequencer::BucketState* Sequencer::lowest_key() {
  BucketState* lowest = nullptr;
  std::int64_t lowest_key = 0;
  for (std::size_t index = 0; index < buckets_.size(); ++index) {
    auto& bucket = buckets_[index];
    const auto key = static_cast<std::int64_t>(index) + 2 * bucket.next_stage;
    // Equal keys go to the lower bucket, which comes first in this loop.
    if (!bucket.finished && (lowest == nullptr || key < lowest_key)) {
      lowest = &bucket;
      lowest_key = key;
    }
  }
  return lowest;
}

}  // namespace pacbench::trainer
