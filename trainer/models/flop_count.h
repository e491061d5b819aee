#pragma once

#include <functional>

namespace pacbench::trainer {

/// Floating-point operations of the convolutions, matrix products and attention that `body` calls,
/// a multiplication and an addition being two; what is done element by element is left out.
double count_flop(const std::function<void()>& body);

}  // namespace pacbench::trainer
