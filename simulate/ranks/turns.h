#pragma once

#include <cstdint>
#include <vector>

#include "simulate/network/network.h"

namespace pacbench::simulate {

/// Decides when a rank's collectives start, so that all ranks start them in one order: ascending by
/// (bucket + 2 · stage, bucket). `stage` numbers a bucket's collectives from 0. A bucket that has
/// ended gives up its later stages. The worker follows the same rule
/// (trainer/collectives/sequencer.h).
class Turns {
 public:
  void begin(int buckets);

  /// Reports that the next collective of `bucket` is ready; calls `start` when its turn comes.
  void ask(int bucket, Then start);

  /// Reports that the bucket starts nothing more.
  void finish(int bucket);

 private:
  struct Bucket {
    std::int64_t stage = 0;
    bool finished = false;
    Then parked{};
  };

  void start_what_may_go();
  Bucket* next();

  std::vector<Bucket> buckets_;
};

}  // namespace pacbench::simulate
