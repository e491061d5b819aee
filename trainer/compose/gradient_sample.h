#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/methods/bucket.h"

namespace pacbench::trainer {

/// Values of real gradients, of each parameter as many as tell what it is like: all of a small
/// one, else runs of neighbours from all over it.
class GradientSample {
 public:
  /// Takes it from the gradients that lie in `buckets`, one flat tensor for each of the layout.
  static GradientSample of(const Layout& layout, const std::vector<at::Tensor>& buckets);

  /// Maps the file of a profile's sample. Throws ConfigError when it is not as long as the profile
  /// says, and what torch throws when it cannot be read.
  GradientSample(const std::string& path, std::vector<std::int64_t> counts);

  const std::vector<std::int64_t>& counts() const { return counts_; }
  std::string bytes() const;  ///< of the file

  /// Fills `gradient` (flat float) with values drawn from those of the parameter at `position` in
  /// the order of the buckets: runs of them from random places, each made up to a tenth larger or
  /// smaller, so that neither values nor their order come twice.
  void draw(std::size_t position, at::Tensor gradient, std::uint64_t key) const;

 private:
  GradientSample() = default;
  void set_offsets();

  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> offsets_;
  at::Tensor values_;  ///< float32, of all parameters
};

}  // namespace pacbench::trainer
