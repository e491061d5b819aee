#include "trainer/kernels/levels.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer {
namespace {

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
