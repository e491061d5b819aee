#include "trainer/kernels/benchmark/cases.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <random>

namespace pacbench::trainer {
namespace {

/// The data that kernels are measured on: a random gradient, masks that keep about half or all of
/// it, and random ternary digits.
struct BenchmarkData {
  BenchmarkData(std::int64_t element_count, Memory memory);
  BenchmarkData(const BenchmarkData&) = delete;

  std::int64_t elements;
  Lines<std::uint64_t> half_words;
  Lines<std::uint64_t> all_words;
  raw::Mask half;  ///< keeps about every second element
  raw::Mask all;
  Lines<float> values;
  Lines<float> inside;  ///< `values`, but zero where `half` does not keep
  Lines<float> floats;  ///< room for as many floats as `values` has
  Lines<std::int8_t> digits;
  Lines<std::int16_t> totals;
  Lines<std::uint64_t> packed;  ///< room for 16 bits an element
  Lines<std::uint64_t> own_packed;
};

BenchmarkData::BenchmarkData(std::int64_t element_count, Memory memory)
    : elements{element_count},
      half_words(static_cast<std::size_t>((elements + 63) / 64),
                 LineAllocator<std::uint64_t>{memory}),
      all_words(half_words.size(), half_words.get_allocator()),
      values{LineAllocator<float>{memory}},
      inside{LineAllocator<float>{memory}},
      floats(static_cast<std::size_t>(elements), LineAllocator<float>{memory}),
      digits{LineAllocator<std::int8_t>{memory}},
      totals(static_cast<std::size_t>(elements), LineAllocator<std::int16_t>{memory}),
      packed(static_cast<std::size_t>(elements / 4 + 1), half_words.get_allocator()),
      own_packed(packed.size(), half_words.get_allocator()) {
  std::mt19937_64 random{1};
  std::normal_distribution<float> normal;
  half = {half_words.data(), elements, 0};
  all = {all_words.data(), elements, elements};
  for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i) {
    const std::uint64_t kept = random() & 1;
    half_words[i / 64] |= kept << (i % 64);
    all_words[i / 64] |= std::uint64_t{1} << (i % 64);
    half.kept += static_cast<std::int64_t>(kept);
    values.push_back(normal(random));
    inside.push_back(kept != 0 ? values.back() : 0);
    digits.push_back(static_cast<std::int8_t>(random() % 3 - 1));
  }
}

using raw::Isa;
using raw::KernelTable;
using Data = std::shared_ptr<BenchmarkData>;

constexpr Target kMoving{.of_memcpy = 0.4};
constexpr Target kPacking{.of_memcpy = 0.5};

Target rounding_target(Isa isa) {
  return {.elements_per_second = isa == Isa::kAvx512 ? 1e9 : 0.5e9};
}

std::int64_t mask_bytes(const BenchmarkData& data) {
  return static_cast<std::int64_t>(data.half_words.size() * sizeof(std::uint64_t));
}

void add_mask_cases(const Processor& processor, const KernelTable& table, const Data& data,
                    std::vector<Case>& cases) {
  const auto& masks = table.masks;
  const auto n = data->elements;
  const auto mask = mask_bytes(*data);
  const auto moved = 4 * n + 4 * data->half.kept + mask;
  cases.push_back({"compact", processor, n, moved, kMoving,
                   [=] { masks.compact(data->values.data(), data->half, data->floats.data()); }});
  cases.push_back({"scatter", processor, n, moved, kMoving,
                   [=] { masks.scatter(data->values.data(), data->half, data->floats.data()); }});
  cases.push_back({"nonzero_bits", processor, n, 4 * n + mask, {}, [=] {
                     masks.nonzero(data->values.data(), n, data->packed.data());
                   }});
  cases.push_back({"any_outside", processor, n, 4 * n + mask, {}, [=] {
                     benchmark::DoNotOptimize(masks.any_outside(data->inside.data(), data->half));
                   }});
  cases.push_back({"zero_outside", processor, n, 8 * n + mask, {}, [=] {
                     masks.zero_outside(data->inside.data(), data->half);
                   }});
}

void add_rounding_cases(const Processor& processor, const KernelTable& table, const Data& data,
                        std::vector<Case>& cases) {
  const auto& rounding = table.rounding;
  const auto n = data->elements;
  const auto kept = data->half.kept;
  const auto mask = mask_bytes(*data);
  cases.push_back({"moments", processor, n, 4 * n + mask, {}, [=] {
                     benchmark::DoNotOptimize(rounding.moments(data->values.data(), data->half));
                   }});
  const auto quantise = [=](const raw::Mask& which, int levels) {
    rounding.quantise(data->values.data(), which, static_cast<float>(levels) / 2.5F, levels,
                      RandomKey{.seed = 1}.stream(), data->digits.data());
  };
  cases.push_back({"quantise, 1 level, all", processor, n, 5 * n + mask,
                   rounding_target(processor.isa), [=] { quantise(data->all, 1); }});
  cases.push_back({"quantise, 1 level, half", processor, n, 4 * n + kept + mask, {}, [=] {
                     quantise(data->half, 1);
                   }});
  cases.push_back({"scatter_levels, int16", processor, n, 4 * n + 2 * kept + mask, {}, [=] {
                     rounding.scatter_int16(data->totals.data(), data->half, 0.1F,
                                            data->floats.data());
                   }});
}

/// Adds the cases of the lane kernels, for the ternary digits of `ranks` ranks.
void add_lane_cases(const Processor& processor, const KernelTable& table, const Data& data,
                    int ranks, std::vector<Case>& cases) {
  const auto n = data->elements;
  const auto layout = LaneLayout::of(bits_for(2 * (ranks - 1)));
  const auto& lanes = table.lanes.of(layout);
  const auto bytes = layout.bytes(n);
  const raw::LaneRange range{layout, n};
  const auto name = [&](const char* kernel) {
    return fmt::format("{}, {} bits", kernel, layout.bits);
  };
  cases.push_back({name("pack"), processor, n, n + bytes, kPacking,
                   [=] { lanes.pack(data->digits.data(), 1, range, data->packed.data()); }});
  cases.push_back({name("unpack_sums"), processor, n, 2 * bytes + 3 * n, kPacking, [=] {
                     lanes.unpack_sums(data->packed.data(), data->own_packed.data(),
                                       data->digits.data(), 1, ranks, range, data->totals.data());
                   }});
  cases.push_back({name("pack_totals"), processor, n, 2 * n + bytes, kPacking,
                   [=] { lanes.pack_totals(data->totals.data(), range, data->packed.data()); }});
  cases.push_back({name("unpack_totals"), processor, n, bytes + 3 * n, kPacking, [=] {
                     lanes.unpack_totals(data->packed.data(), data->digits.data(), 1, ranks, range,
                                         data->totals.data());
                   }});
  cases.push_back({name("add_lanes"), processor, n, bytes + 4 * n, {}, [=] {
                     lanes.add(data->packed.data(), range, data->totals.data());
                   }});
}

void add_cases(const Processor& processor, const KernelTable& table, const Data& data,
               std::vector<Case>& cases) {
  add_mask_cases(processor, table, data, cases);
  add_rounding_cases(processor, table, data, cases);
  for (const int ranks : {4, 8, 16}) add_lane_cases(processor, table, data, ranks, cases);
}

/// Removes targets that do not apply: no targets are set for a GPU, nor for plain code.
void drop_targets(bool with_targets, Case& one) {
  const auto& processor = one.processor;
  const bool no_targets = processor.memory == Memory::kGpu || processor.isa == Isa::kPlain;
  if (!with_targets || no_targets) one.target = {};
  // Memory may be faster than kernels with registers narrower than the CPU's widest, so these have
  // no target relative to memcpy.
  if (processor.isa != raw::widest_isa()) one.target.of_memcpy = 0;
}

}  // namespace

std::vector<Case> cases(std::int64_t elements, bool with_targets) {
  std::vector<Case> all;
  const auto data = std::make_shared<BenchmarkData>(elements, Memory::kHost);
  for (const auto isa : raw::kAllIsas) {
    const auto* table = raw::kernel_table(isa);
    if (table != nullptr) add_cases({raw::name_of(isa), Memory::kHost, isa}, *table, data, all);
  }
  if (raw::no_gpu().empty()) {
    const auto shared = std::make_shared<BenchmarkData>(elements, Memory::kGpu);
    add_cases({"cuda", Memory::kGpu, Isa::kPlain}, raw::cuda_kernels(), shared, all);
  }
  for (auto& one : all) drop_targets(with_targets, one);
  return all;
}

}  // namespace pacbench::trainer
