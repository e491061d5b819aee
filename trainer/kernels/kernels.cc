#include "trainer/kernels/kernels.h"

#include <ATen/Functions.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>

#include <bit>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "trainer/kernels/cuda_kernels.h"
#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer {
namespace {

std::int64_t words_of(std::int64_t elements) { return (elements + 63) / 64; }

/// Throws unless `tensor` is what a kernel accepts as its argument `name`.
void expect(std::string_view name, const at::Tensor& tensor, at::ScalarType type,
            std::int64_t elements, at::Device device) {
  if (tensor.defined() && tensor.scalar_type() == type && tensor.numel() == elements &&
      tensor.is_contiguous() && tensor.device() == device) {
    return;
  }
  const auto found =
      tensor.defined()
          ? fmt::format("{}[{}]{} on {}", c10::toString(tensor.scalar_type()), tensor.numel(),
                        tensor.is_contiguous() ? "" : " (not contiguous)", tensor.device().str())
          : std::string{"undefined"};
  throw std::invalid_argument{fmt::format("kernels: {} is {}, expected {}[{}] on {}", name, found,
                                          c10::toString(type), elements, device.str())};
}

void expect_float(std::string_view name, const at::Tensor& tensor, std::int64_t elements,
                  const KeptBits& kept) {
  expect(name, tensor, at::kFloat, elements, kept.words.device());
}

void expect_words(std::string_view name, const at::Tensor& words, const LaneLayout& layout,
                  std::int64_t elements, at::Device device) {
  if (layout != LaneLayout::of(layout.bits)) {
    throw std::invalid_argument{
        fmt::format("kernels: lanes of {} bits in words of {} bytes, expected LaneLayout::of({})",
                    layout.bits, layout.word_bytes, layout.bits)};
  }
  expect(name, words, layout.word_bytes == 1 ? at::kByte : at::kLong, layout.words(elements),
         device);
}

/// The kernels for the device of a tensor; those of a GPU run in torch's current stream of that
/// GPU.
class Kernels {
 public:
  explicit Kernels(const at::Tensor& tensor) {
    const auto device = tensor.device();
    if (device.is_cpu()) return;
    if (!device.is_cuda()) {
      throw std::invalid_argument{fmt::format(
          "kernels: there are none for {}, expected a tensor on cpu or cuda", device.str())};
    }
    const auto stream = c10::impl::VirtualGuardImpl{c10::kCUDA}.getStream(device);
    stream_.emplace(device.index(), stream.native_handle());
    table_ = &raw::cuda_kernels();
  }
  const raw::KernelTable* operator->() const { return table_; }

 private:
  const raw::KernelTable* table_ = &raw::widest_kernels();
  std::optional<raw::OnStream> stream_;
};

raw::Mask mask_of(const KeptBits& kept) {
  return {reinterpret_cast<const std::uint64_t*>(kept.words.const_data_ptr<std::int64_t>()),
          kept.elements, kept.kept};
}

}  // namespace

KeptBits keep_all(std::int64_t elements, c10::Device device) {
  auto words = at::full({words_of(elements)}, std::int64_t{-1}, at::kLong);
  if (elements % 64 != 0) words[-1] = (std::int64_t{1} << (elements % 64)) - 1;
  return {words.to(device), elements, elements};
}

KeptBits kept_bits(const at::Tensor& mask) {
  if (mask.scalar_type() != at::kBool) expect("mask", mask, at::kBool, mask.numel(), at::kCPU);
  return nonzero_bits(mask.to(at::kFloat).flatten());
}

KeptBits kept_bits(at::Tensor words, std::int64_t elements) {
  expect("words", words, at::kLong, words_of(elements), words.device());
  const auto host = words.to(at::kCPU);
  const auto* bits = reinterpret_cast<const std::uint64_t*>(host.const_data_ptr<std::int64_t>());
  std::int64_t kept = 0;
  for (std::int64_t word = 0; word < host.numel(); ++word) kept += std::popcount(bits[word]);
  if (elements % 64 != 0 && bits[host.numel() - 1] >> (elements % 64) != 0) {
    throw std::invalid_argument{
        fmt::format("kernels: the last word of a mask of {} elements is {:#x}, expected 0 from bit "
                    "{} on",
                    elements, bits[host.numel() - 1], elements % 64)};
  }
  return {std::move(words), elements, kept};
}

KeptBits nonzero_bits(const at::Tensor& values) {
  expect("values", values, at::kFloat, values.numel(), values.device());
  auto words = at::empty({words_of(values.numel())}, values.options().dtype(at::kLong));
  const auto kept = Kernels(values)->masks.nonzero(
      values.const_data_ptr<float>(), values.numel(),
      reinterpret_cast<std::uint64_t*>(words.mutable_data_ptr<std::int64_t>()));
  return {std::move(words), values.numel(), kept};
}

void compact(const at::Tensor& values, const KeptBits& kept, at::Tensor out) {
  expect_float("values", values, kept.elements, kept);
  expect_float("out", out, kept.kept, kept);
  Kernels(out)->masks.compact(values.const_data_ptr<float>(), mask_of(kept),
                              out.mutable_data_ptr<float>());
}

void scatter(const at::Tensor& values, const KeptBits& kept, at::Tensor out) {
  expect_float("values", values, kept.kept, kept);
  expect_float("out", out, kept.elements, kept);
  Kernels(out)->masks.scatter(values.const_data_ptr<float>(), mask_of(kept),
                              out.mutable_data_ptr<float>());
}

void zero_outside(at::Tensor values, const KeptBits& kept) {
  expect_float("values", values, kept.elements, kept);
  Kernels(values)->masks.zero_outside(values.mutable_data_ptr<float>(), mask_of(kept));
}

bool any_outside(const at::Tensor& values, const KeptBits& kept) {
  expect_float("values", values, kept.elements, kept);
  return Kernels(values)->masks.any_outside(values.const_data_ptr<float>(), mask_of(kept));
}

Moments moments(const at::Tensor& values, const KeptBits& kept) {
  expect_float("values", values, kept.elements, kept);
  return Kernels(values)->rounding.moments(values.const_data_ptr<float>(), mask_of(kept));
}

void quantise(const at::Tensor& values, const KeptBits& kept, float levels_per_unit, int levels,
              const RandomKey& key, at::Tensor digits) {
  expect_float("values", values, kept.elements, kept);
  expect("digits", digits, at::kChar, kept.kept, values.device());
  if (levels < 1 || levels > 127) {
    throw std::invalid_argument{
        fmt::format("kernels: quantise to {} levels, expected 1 to 127 (int8)", levels)};
  }
  Kernels(values)->rounding.quantise(values.const_data_ptr<float>(), mask_of(kept), levels_per_unit,
                                     levels, key.stream(), digits.mutable_data_ptr<std::int8_t>());
}

void scatter_levels(const at::Tensor& levels, const KeptBits& kept, float factor, at::Tensor out) {
  expect_float("out", out, kept.elements, kept);
  const Kernels kernels{out};
  auto* values = out.mutable_data_ptr<float>();
  if (levels.scalar_type() == at::kShort) {
    expect("levels", levels, at::kShort, kept.kept, out.device());
    kernels->rounding.scatter_int16(levels.const_data_ptr<std::int16_t>(), mask_of(kept), factor,
                                    values);
  } else {
    expect("levels", levels, at::kChar, kept.kept, out.device());
    kernels->rounding.scatter_int8(levels.const_data_ptr<std::int8_t>(), mask_of(kept), factor,
                                   values);
  }
}

void pack(const at::Tensor& digits, int offset, const LaneLayout& layout, at::Tensor words) {
  expect("digits", digits, at::kChar, digits.numel(), words.device());
  expect_words("words", words, layout, digits.numel(), words.device());
  Kernels(words)->lanes.of(layout).pack(digits.const_data_ptr<std::int8_t>(), offset,
                                        {layout, digits.numel()}, words.mutable_data_ptr());
}

void unpack_sums(const at::Tensor& words, const at::Tensor& own_words, const at::Tensor& own_digits,
                 int offset, int ranks, const LaneLayout& layout, at::Tensor sums) {
  expect("own_digits", own_digits, at::kChar, sums.numel(), sums.device());
  expect("sums", sums, at::kShort, sums.numel(), sums.device());
  expect_words("words", words, layout, sums.numel(), sums.device());
  expect_words("own_words", own_words, layout, sums.numel(), sums.device());
  Kernels(sums)->lanes.of(layout).unpack_sums(
      words.const_data_ptr(), own_words.const_data_ptr(), own_digits.const_data_ptr<std::int8_t>(),
      offset, ranks, {layout, sums.numel()}, sums.mutable_data_ptr<std::int16_t>());
}

void add_lanes(const at::Tensor& words, const LaneLayout& layout, at::Tensor totals) {
  expect("totals", totals, at::kShort, totals.numel(), totals.device());
  expect_words("words", words, layout, totals.numel(), totals.device());
  Kernels(totals)->lanes.of(layout).add(words.const_data_ptr(), {layout, totals.numel()},
                                        totals.mutable_data_ptr<std::int16_t>());
}

void pack_totals(const at::Tensor& totals, const LaneLayout& layout, at::Tensor words) {
  expect("totals", totals, at::kShort, totals.numel(), words.device());
  expect_words("words", words, layout, totals.numel(), words.device());
  Kernels(words)->lanes.of(layout).pack_totals(totals.const_data_ptr<std::int16_t>(),
                                               {layout, totals.numel()}, words.mutable_data_ptr());
}

void unpack_totals(const at::Tensor& words, const at::Tensor& own_digits, int offset, int ranks,
                   const LaneLayout& layout, at::Tensor sums) {
  expect("own_digits", own_digits, at::kChar, sums.numel(), sums.device());
  expect("sums", sums, at::kShort, sums.numel(), sums.device());
  expect_words("words", words, layout, sums.numel(), sums.device());
  Kernels(sums)->lanes.of(layout).unpack_totals(
      words.const_data_ptr(), own_digits.const_data_ptr<std::int8_t>(), offset, ranks,
      {layout, sums.numel()}, sums.mutable_data_ptr<std::int16_t>());
}

}  // namespace pacbench::trainer
