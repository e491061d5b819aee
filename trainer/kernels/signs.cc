#include "trainer/kernels/signs.h"

#include <ATen/Functions.h>

#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer {
namespace {

at::Tensor bit_numbers(const at::Tensor& beside) {
  return at::arange(8, beside.options().dtype(at::kByte));
}

at::Tensor pack_on_gpu(const at::Tensor& values) {
  auto bits = at::zeros({sign_bytes(values.numel()) * 8}, values.options().dtype(at::kByte));
  bits.narrow(0, 0, values.numel()).copy_(values.ge(0));
  return bits.view({-1, 8}).bitwise_left_shift(bit_numbers(values)).sum(1).to(at::kByte);
}

void add_on_gpu(const at::Tensor& packed, std::int64_t first, float size, at::Tensor& values) {
  const auto bits = packed.unsqueeze(1).bitwise_right_shift(bit_numbers(packed)).bitwise_and(1);
  const auto signs = bits.flatten().narrow(0, first, values.numel()).to(at::kFloat);
  values.add_(signs.mul_(2 * size).sub_(size));
}

}  // namespace

at::Tensor pack_signs(const at::Tensor& values) {
  if (!values.is_cpu()) return pack_on_gpu(values);
  auto packed = at::zeros({sign_bytes(values.numel())}, at::kByte);
  raw::widest_codes().pack_signs(values.const_data_ptr<float>(), values.numel(),
                                 packed.mutable_data_ptr<std::uint8_t>());
  return packed;
}

void add_signs(const at::Tensor& packed, std::int64_t first, float size, at::Tensor values) {
  if (!values.is_cpu()) return add_on_gpu(packed, first, size, values);
  raw::widest_codes().add_signs(packed.const_data_ptr<std::uint8_t>(), first, size, values.numel(),
                                values.mutable_data_ptr<float>());
}

}  // namespace pacbench::trainer
