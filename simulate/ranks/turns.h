#pragma once

#include <cstdint>
#include <vector>

#include "simulate/network/network.h"

namespace pacbench::simulate {

/// When a rank's collectives are started, so that all ranks start them in one order: in ascending
/// (bucket + 2 · stage, bucket), where a bucket that has ended gives up its later stages. It is the
/// worker's rule (trainer/collectives/sequencer.h).
class Turns {
 public:
  void begin(int buckets);

  /// The next collective of `bucket` is ready; `start` is called when it is its turn.
  void ask(int bucket, Then start);

  /// The bucket starts nothing more.
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
