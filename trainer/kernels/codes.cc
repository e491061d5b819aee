#include "trainer/kernels/codes.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

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

at::Tensor floor_levels_on_gpu(const at::Tensor& values, const at::Tensor& levels_per_unit,
                               int levels, const at::Tensor& uniform) {
  const auto blocks = values.view({levels_per_unit.numel(), -1});
  const auto products = blocks.abs().mul_(levels_per_unit.unsqueeze(1)).nan_to_num_(0);
  const auto whole = products.add_(uniform.view_as(blocks)).floor_().clamp_max_(levels);
  return whole.mul_(blocks.sign()).to(at::kChar).flatten();
}

at::Tensor places_on_gpu(const raw::LevelTable& table, const at::Tensor& beside) {
  auto places = at::empty({16}, at::kLong);
  std::copy_n(table.places, 16, places.mutable_data_ptr<std::int64_t>());
  return places.to(beside.device());
}

at::Tensor table_levels_on_gpu(const at::Tensor& values, const raw::LevelTable& table,
                               const at::Tensor& uniform) {
  const auto places = places_on_gpu(table, values).to(at::kFloat);
  const auto scaled = values.clamp(-table.limit, table.limit).add_(table.limit).div_(table.step);
  const auto upper = at::bucketize(scaled, places).clamp_(1, 15);
  const auto low = places.index_select(0, upper - 1);
  const auto high = places.index_select(0, upper);
  const auto goes_up = uniform * (high - low) < scaled - low;
  return (upper - 1 + goes_up.to(at::kLong)).to(at::kChar);
}

void add_places_on_gpu(const at::Tensor& packed, const raw::LevelTable& table,
                       const at::Tensor& sums) {
  const auto levels = at::cat({packed.bitwise_and(15), packed.bitwise_right_shift(4)});
  const auto places = places_on_gpu(table, packed).index_select(0, levels.to(at::kLong));
  sums.add_(places.to(at::kShort));
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

at::Tensor floor_levels(const at::Tensor& values, const at::Tensor& levels_per_unit, int levels,
                        const at::Tensor& uniform) {
  if (!values.is_cpu()) return floor_levels_on_gpu(values, levels_per_unit, levels, uniform);
  auto digits = at::empty({values.numel()}, at::kChar);
  const auto block = values.numel() / levels_per_unit.numel();
  for (std::int64_t i = 0; i < levels_per_unit.numel(); ++i) {
    raw::widest_codes().floor_levels(values.const_data_ptr<float>() + i * block, block,
                                     levels_per_unit.const_data_ptr<float>()[i], levels,
                                     uniform.const_data_ptr<float>() + i * block,
                                     digits.mutable_data_ptr<std::int8_t>() + i * block);
  }
  return digits;
}

at::Tensor scale_numbers(const at::Tensor& numbers, int offset, const at::Tensor& factors) {
  if (!numbers.is_cpu()) {
    const auto blocks = numbers.sub(offset).to(at::kFloat).view({factors.numel(), -1});
    return blocks.mul(factors.unsqueeze(1)).flatten();
  }
  auto values = at::empty({numbers.numel()});
  const auto block = numbers.numel() / factors.numel();
  for (std::int64_t i = 0; i < factors.numel(); ++i) {
    raw::widest_codes().scale_numbers(numbers.const_data_ptr<std::int16_t>() + i * block, offset,
                                      factors.const_data_ptr<float>()[i], block,
                                      values.mutable_data_ptr<float>() + i * block);
  }
  return values;
}

at::Tensor table_levels(const at::Tensor& values, const raw::LevelTable& table,
                        const at::Tensor& uniform) {
  if (!values.is_cpu()) return table_levels_on_gpu(values, table, uniform);
  auto levels = at::empty({values.numel()}, at::kChar);
  raw::widest_codes().table_levels(values.const_data_ptr<float>(), values.numel(), table,
                                   uniform.const_data_ptr<float>(),
                                   levels.mutable_data_ptr<std::int8_t>());
  return levels;
}

void add_places(const at::Tensor& packed, const raw::LevelTable& table, const at::Tensor& sums) {
  if (!packed.is_cpu()) return add_places_on_gpu(packed, table, sums);
  raw::widest_codes().add_places(packed.const_data_ptr<std::uint8_t>(), packed.numel(), table,
                                 sums.mutable_data_ptr<std::int16_t>());
}

}  // namespace pacbench::trainer
