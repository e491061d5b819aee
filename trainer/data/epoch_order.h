#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace pacbench::trainer {

/// The order in which an epoch visits the training set: a random permutation (Fisher and Yates), a
/// pure function of seed, epoch and the number of samples. Keeps the last permutation of an even
/// epoch and the last of an odd one, since all ranks ask for the same permutation in all iterations
/// of an epoch. Thread-safe.
class EpochOrder {
 public:
  using Permutation = std::shared_ptr<const std::vector<std::int64_t>>;

  explicit EpochOrder(std::int64_t samples) : samples_{samples} {}

  Permutation of(std::int64_t seed, std::int64_t epoch);

 private:
  struct Kept {
    std::int64_t seed = 0;
    std::int64_t epoch = -1;
    Permutation permutation;
  };

  std::int64_t samples_;
  std::mutex mutex_;
  Kept kept_[2];
};

/// The random permutation of 0 .. `samples` - 1 that belongs to (seed, epoch).
std::vector<std::int64_t> epoch_permutation(std::int64_t seed, std::int64_t epoch,
                                            std::int64_t samples);

}  // namespace pacbench::trainer
