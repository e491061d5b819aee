#include "trainer/compose/gradient_sample.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/errors.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kMost = 16384;  ///< the most values that a sample has of a parameter
constexpr std::int64_t kRun = 256;
constexpr double kGain = 0.1;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, figure 14).
class Draws {
 public:
  explicit Draws(std::uint64_t key) : state_{key} {}

  std::uint64_t next() {
    auto bits = (state_ += 0x9E3779B97F4A7C15U);
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31);
  }

  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }

  /// A random factor from 1 - kGain to 1 + kGain.
  double gain() { return 1 + kGain * (static_cast<double>(next() >> 11) * 0x1p-52 - 1); }

 private:
  std::uint64_t state_;
};

at::Tensor sampled(const at::Tensor& gradient) {
  const auto flat = gradient.detach().flatten().cpu();
  if (flat.numel() <= kMost) return flat.clone();
  constexpr auto kRuns = kMost / kRun;
  std::vector<at::Tensor> runs;
  for (std::int64_t run = 0; run < kRuns; ++run) {
    runs.push_back(flat.narrow(0, run * (flat.numel() - kRun) / (kRuns - 1), kRun));
  }
  return at::cat(runs);
}

}  // namespace

GradientSample GradientSample::of(const Layout& layout, const std::vector<at::Tensor>& buckets) {
  GradientSample sample;
  std::vector<at::Tensor> parts;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    for (const auto& slice : layout[i].slices) {
      parts.push_back(sampled(buckets.at(i).narrow(0, slice.offset, slice.elements)));
      sample.counts_.push_back(parts.back().numel());
    }
  }
  sample.values_ = at::cat(parts);
  sample.set_offsets();
  return sample;
}

GradientSample::GradientSample(const std::string& path, std::vector<std::int64_t> counts)
    : counts_{std::move(counts)} {
  set_offsets();
  const auto found = static_cast<std::int64_t>(std::filesystem::file_size(path) / sizeof(float));
  const auto expected = offsets_.back() + counts_.back();
  if (found != expected) {
    throw ConfigError{
        path,
        {{"", fmt::format("found {} values, expected {} as in the profile; make the profile again",
                          found, expected)}}};
  }
  values_ = at::from_file(path, /*shared=*/false, expected, at::kFloat);
}

void GradientSample::set_offsets() {
  std::int64_t offset = 0;
  for (const auto count : counts_) {
    offsets_.push_back(offset);
    offset += count;
  }
}

std::string GradientSample::bytes() const {
  const auto flat = values_.contiguous();
  return {static_cast<const char*>(flat.const_data_ptr()), flat.nbytes()};
}

void GradientSample::draw(std::size_t position, at::Tensor gradient, std::uint64_t key) const {
  const auto values = values_.narrow(0, offsets_.at(position), counts_.at(position));
  Draws draws{key};
  for (std::int64_t done = 0; done < gradient.numel();) {
    const auto first = draws.below(values.numel());
    const auto count = std::min(values.numel() - first, gradient.numel() - done);
    auto part = gradient.narrow(0, done, count);
    at::mul_out(part, values.narrow(0, first, count), at::scalar_tensor(draws.gain()));
    done += count;
  }
}

}  // namespace pacbench::trainer
