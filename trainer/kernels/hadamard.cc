#include "trainer/kernels/hadamard.h"

#include <ATen/Functions.h>

#include <cmath>

#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer {
namespace {

at::Tensor transform_on_gpu(at::Tensor rows) {
  const auto shape = rows.sizes().vec();
  for (std::int64_t half = 1; half < shape[1]; half *= 2) {
    const auto pairs = rows.view({-1, 2, half});
    const auto one = pairs.select(1, 0);
    const auto other = pairs.select(1, 1);
    rows = at::stack({one + other, one - other}, 1);
  }
  return rows.view(shape);
}

}  // namespace

at::Tensor hadamard(const at::Tensor& rows) {
  auto result = rows.contiguous().clone();
  const auto size = rows.size(1);
  if (rows.is_cpu()) {
    auto* data = result.mutable_data_ptr<float>();
    const auto transform = raw::widest_codes().hadamard;
    // Row by row, so that all passes but the first find the row in the nearest cache.
    for (std::int64_t row = 0; row < rows.size(0); ++row) transform(data + row * size, size);
  } else {
    result = transform_on_gpu(result);
  }
  return result.div_(std::sqrt(static_cast<double>(size)));
}

}  // namespace pacbench::trainer
