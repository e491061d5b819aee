#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/averaging/bucket.h"

namespace pacbench::trainer {

/// Values of real gradients, enough of each parameter to represent it: all values of a small
/// parameter, else runs of neighbouring values from all over it.
class GradientSample {
 public:
  /// Samples the gradients in `buckets`, one flat tensor for each bucket of the layout.
  static GradientSample of(const Layout& layout, const std::vector<at::Tensor>& buckets);

  /// Maps the file of a profile's sample. Throws ConfigError when the number of values in the file
  /// is not the sum of `counts`, and another exception when the file cannot be read.
  GradientSample(const std::string& path, std::vector<std::int64_t> counts);

  const std::vector<std::int64_t>& counts() const { return counts_; }
  std::string bytes() const;  ///< the content of the sample's file

  /// Fills `gradient` (flat float) with values drawn from the sample of the parameter at `position`
  /// in the order of the buckets. It copies runs of values from random places and scales each run
  /// by a random factor from 0.9 to 1.1, so that neither values nor their order repeat. `key`
  /// seeds the random numbers.
  void draw(std::size_t position, at::Tensor gradient, std::uint64_t key) const;

 private:
  GradientSample() = default;
  void set_offsets();

  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> offsets_;
  at::Tensor values_;  ///< float32, of all parameters
};

}  // namespace pacbench::trainer
