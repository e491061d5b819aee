#pragma once

#include <functional>

namespace pacbench::trainer {

/// Floating-point operations of the convolutions, matrix products and attention that `body` calls,
/// where a multiplication and an addition count as two. Element-wise operations are left out.
double count_flop(const std::function<void()>& body);

}  // namespace pacbench::trainer
