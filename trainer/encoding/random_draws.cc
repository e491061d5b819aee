#include "trainer/encoding/random_draws.h"

#include <ATen/Functions.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer {
namespace {

/// Floyd's sample (Bentley and Floyd 1987, doi 10.1145/30401.315746): `count` draws give `count`
/// different numbers. Each draw takes 64 random bits: of the numbers below its limit none is
/// likelier than another by more than limit / 2^64.
std::vector<bool> sample(const RandomKey& key, std::int64_t count, std::int64_t elements) {
  Philox4x32::Counter words{};
  std::uint32_t block = 0;
  std::size_t next = 4;
  const auto word = [&]() -> std::uint32_t {
    if (next == 4) {
      words = Philox4x32::words(key.counter(block++), key.philox_key());
      next = 0;
    }
    return words[next++];
  };
  std::vector<bool> taken(static_cast<std::size_t>(elements));
  for (auto last = elements - count; last < elements; ++last) {
    const auto high = std::uint64_t{word()} << 32;
    const auto product =
        static_cast<unsigned __int128>(high | word()) * static_cast<unsigned __int128>(last + 1);
    const auto drawn = static_cast<std::size_t>(product >> 64);
    taken[taken[drawn] ? static_cast<std::size_t>(last) : drawn] = true;
  }
  return taken;
}

}  // namespace

at::Tensor random_positions(RandomKey key, std::int64_t count, std::int64_t elements,
                            c10::Device device) {
  key.use = RandomUse::kSelection;
  // Draws as few as it can: the chosen positions, or those that are not chosen.
  const bool few = count <= elements / 2;
  const auto drawn = sample(key, few ? count : elements - count, elements);
  auto positions = at::empty({count}, at::kLong);
  auto* position = positions.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < elements; ++i) {
    if (drawn[static_cast<std::size_t>(i)] == few) *position++ = i;
  }
  return positions.to(device);
}

at::Tensor random_uniform(const RandomKey& key, std::int64_t first, std::int64_t count,
                          c10::Device device) {
  auto values = at::empty({count});
  raw::widest_codes().uniform(key.stream(), first, count, values.mutable_data_ptr<float>());
  return values.to(device);
}

/// Makes two normal numbers from every two uniform ones (Box and Muller 1958, doi
/// 10.1214/aoms/1177706645).
at::Tensor random_normal(RandomKey key, std::int64_t count) {
  const auto pairs = (count + 1) / 2;
  const auto uniform = random_uniform(key, 0, 2 * pairs, at::kCPU);
  auto values = at::empty({2 * pairs});
  const auto* from = uniform.const_data_ptr<float>();
  auto* to = values.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < 2 * pairs; i += 2) {
    const float radius = std::sqrt(-2 * std::log1p(-from[i]));
    const float angle = 2 * std::numbers::pi_v<float> * from[i + 1];
    to[i] = radius * std::cos(angle);
    to[i + 1] = radius * std::sin(angle);
  }
  return values.narrow(0, 0, count);
}

}  // namespace pacbench::trainer
