#pragma once

#include "contract/worker/worker_event.h"

namespace pacbench::figures {

inline constexpr std::int64_t kMs = 1'000'000;

/// A step of 100 ms: 10 forward, 20 backward, 65 waiting, 4 optimising. From 40 to 90 ms there are
/// two collectives on the wire, with 10 ms between them.
inline IterationEvent example_iteration(int rank, std::int64_t iteration) {
  IterationEvent event;
  event.rank = rank;
  event.iteration = iteration;
  event.step = {0, 100 * kMs};
  event.forward = {0, 10 * kMs};
  event.backward = {10 * kMs, 30 * kMs};
  event.exposed = {30 * kMs, 95 * kMs};
  event.optimizer = {95 * kMs, 99 * kMs};
  BucketTrace bucket;
  bucket.exchange = {25 * kMs, 95 * kMs};
  CollectiveTrace first{"all_reduce", "float32", 1, 4, 4, 35 * kMs, {40 * kMs, 60 * kMs}};
  CollectiveTrace second{"all_reduce", "float32", 1, 4, 4, 70 * kMs, {70 * kMs, 90 * kMs}};
  bucket.collectives = {first, second};
  event.buckets = {bucket};
  return event;
}

}  // namespace pacbench::figures
