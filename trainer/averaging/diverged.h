#pragma once

#include <stdexcept>

namespace pacbench::trainer {

/// Training diverged: the loss or a gradient is not finite. Training would diverge again with the
/// same options, whereas other failures need not come from the options.
struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace pacbench::trainer
