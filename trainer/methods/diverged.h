#pragma once

#include <stdexcept>

namespace pacbench::trainer {

/// Training diverged: the loss or a gradient is not finite. It would do so again with the same
/// options, whereas any other failure says nothing of them.
struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace pacbench::trainer
