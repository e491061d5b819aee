#include "simulate/ranks/turns.h"

#include <utility>

namespace pacbench::simulate {

void Turns::begin(int buckets) { buckets_.assign(static_cast<std::size_t>(buckets), Bucket{}); }

void Turns::ask(int bucket, Then start) {
  buckets_.at(static_cast<std::size_t>(bucket)).parked = std::move(start);
  start_what_may_go();
}

void Turns::finish(int bucket) {
  buckets_.at(static_cast<std::size_t>(bucket)).finished = true;
  start_what_may_go();
}

void Turns::start_what_may_go() {
  for (auto* bucket = next(); bucket != nullptr && bucket->parked; bucket = next()) {
    ++bucket->stage;
    std::exchange(bucket->parked, {})();
  }
}

/// The bucket whose turn it is, whether it is ready or not; null when all buckets have ended.
Turns::Bucket* Turns::next() {
  Bucket* first = nullptr;
  std::int64_t first_key = 0;
  for (std::size_t index = 0; index < buckets_.size(); ++index) {
    auto& bucket = buckets_[index];
    const auto key = static_cast<std::int64_t>(index) + 2 * bucket.stage;
    if (!bucket.finished && (first == nullptr || key < first_key)) {
      first = &bucket;
      first_key = key;
    }
  }
  return first;
}

}  // namespace pacbench::simulate
