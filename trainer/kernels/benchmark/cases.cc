#include "trainer/kernels/benchmark/cases.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "trainer/kernels/benchmark/data.h"

namespace pacbench::trainer {
namespace {

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

void add_mask_cases(Isa isa, const KernelTable& table, const Data& data, std::vector<Case>& cases) {
  const auto& masks = table.masks;
  const auto n = data->elements;
  const auto mask = mask_bytes(*data);
  const auto moved = 4 * n + 4 * data->half.kept + mask;
  cases.push_back({"compact", isa, n, moved, kMoving,
                   [=] { masks.compact(data->values.data(), data->half, data->floats.data()); }});
  cases.push_back({"scatter", isa, n, moved, kMoving,
                   [=] { masks.scatter(data->values.data(), data->half, data->floats.data()); }});
  cases.push_back({"nonzero_bits", isa, n, 4 * n + mask, {}, [=] {
                     masks.nonzero(data->values.data(), n, data->packed.data());
                   }});
  cases.push_back({"any_outside", isa, n, 4 * n + mask, {}, [=] {
                     benchmark::DoNotOptimize(masks.any_outside(data->inside.data(), data->half));
                   }});
  cases.push_back({"zero_outside", isa, n, 8 * n + mask, {}, [=] {
                     masks.zero_outside(data->inside.data(), data->half);
                   }});
}

void add_rounding_cases(Isa isa, const KernelTable& table, const Data& data,
                        std::vector<Case>& cases) {
  const auto& rounding = table.rounding;
  const auto n = data->elements;
  const auto kept = data->half.kept;
  const auto mask = mask_bytes(*data);
  cases.push_back({"moments", isa, n, 4 * n + mask, {}, [=] {
                     benchmark::DoNotOptimize(rounding.moments(data->values.data(), data->half));
                   }});
  const auto quantise = [=](const raw::Mask& which, int levels) {
    rounding.quantise(data->values.data(), which, static_cast<float>(levels) / 2.5F, levels,
                      RandomKey{.seed = 1}.stream(), data->digits.data());
  };
  cases.push_back({"quantise, 1 level, all", isa, n, 5 * n + mask, rounding_target(isa),
                   [=] { quantise(data->all, 1); }});
  cases.push_back({"quantise, 1 level, half", isa, n, 4 * n + kept + mask, {}, [=] {
                     quantise(data->half, 1);
                   }});
  cases.push_back({"scatter_levels, int16", isa, n, 4 * n + 2 * kept + mask, {}, [=] {
                     rounding.scatter_int16(data->totals.data(), data->half, 0.1F,
                                            data->floats.data());
                   }});
}

/// Lanes for `ranks` ranks' ternary digits.
void add_lane_cases(Isa isa, const KernelTable& table, const Data& data, int ranks,
                    std::vector<Case>& cases) {
  const auto n = data->elements;
  const auto layout = LaneLayout::of(bits_for(2 * (ranks - 1)));
  const auto& lanes = table.lanes.of(layout);
  const auto bytes = layout.bytes(n);
  const raw::LaneRange range{layout, n};
  const auto name = [&](const char* kernel) {
    return fmt::format("{}, {} bits", kernel, layout.bits);
  };
  cases.push_back({name("pack"), isa, n, n + bytes, kPacking,
                   [=] { lanes.pack(data->digits.data(), 1, range, data->packed.data()); }});
  cases.push_back({name("unpack_sums"), isa, n, 2 * bytes + 3 * n, kPacking, [=] {
                     lanes.unpack_sums(data->packed.data(), data->own_packed.data(),
                                       data->digits.data(), 1, ranks, range, data->totals.data());
                   }});
  cases.push_back({name("pack_totals"), isa, n, 2 * n + bytes, kPacking,
                   [=] { lanes.pack_totals(data->totals.data(), range, data->packed.data()); }});
  cases.push_back({name("unpack_totals"), isa, n, bytes + 3 * n, kPacking, [=] {
                     lanes.unpack_totals(data->packed.data(), data->digits.data(), 1, ranks, range,
                                         data->totals.data());
                   }});
  cases.push_back({name("add_lanes"), isa, n, bytes + 4 * n, {}, [=] {
                     lanes.add(data->packed.data(), range, data->totals.data());
                   }});
}

}  // namespace

std::vector<Case> cases(std::int64_t elements, bool with_targets) {
  const auto data = std::make_shared<BenchmarkData>(elements);
  std::vector<Case> all;
  for (const auto isa : raw::kAllIsas) {
    const auto* table = raw::kernel_table(isa);
    if (table == nullptr) continue;
    add_mask_cases(isa, *table, data, all);
    add_rounding_cases(isa, *table, data, all);
    for (const int ranks : {4, 8, 16}) add_lane_cases(isa, *table, data, ranks, all);
  }
  for (auto& one : all) {
    if (!with_targets || one.isa == Isa::kPlain) one.target = {};
    // Wider registers are what a CPU's memory is made for: with narrower ones it may be the faster.
    if (one.isa != raw::widest_isa()) one.target.of_memcpy = 0;
  }
  return all;
}

}  // namespace pacbench::trainer
