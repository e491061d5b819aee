#include "trainer/kernels/bits.h"

#include <ATen/Functions.h>

namespace pacbench {

at::Tensor pack_bits(const at::Tensor& flags) {
  const auto elements = flags.numel();
  const auto source = flags.contiguous();
  auto packed = at::zeros({(elements + 7) / 8}, at::kByte);
  const auto* from = source.data_ptr<bool>();
  auto* to = packed.data_ptr<std::uint8_t>();
  for (std::int64_t i = 0; i < elements; ++i) {
    to[i / 8] = static_cast<std::uint8_t>(to[i / 8] | (from[i] ? 1 : 0) << (i % 8));
  }
  return packed;
}

at::Tensor unpack_bits(const at::Tensor& packed, std::int64_t elements) {
  auto flags = at::empty({elements}, at::kBool);
  const auto* from = packed.data_ptr<std::uint8_t>();
  auto* to = flags.data_ptr<bool>();
  for (std::int64_t i = 0; i < elements; ++i) to[i] = (from[i / 8] >> (i % 8) & 1) != 0;
  return flags;
}

}  // namespace pacbench
