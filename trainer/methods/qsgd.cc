// QSGD (Alistarh, Grubic, Li, Tomioka and Vojnovic 2017, arXiv 1610.02132, section 3.1): the
// entries of a block of 512 become whole levels of its norm. Rounding is stochastic, so that the
// mean is unbiased. Norms differ between workers and levels do not add, so the paper gathers
// everything from everyone. Here each rank averages its share of all ranks' blocks and rounds the
// mean anew, as CGX does (ByShares). There is no Elias code.
#include <ATen/Functions.h>

#include "trainer/averaging/by_shares.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/encoding/random_draws.h"
#include "trainer/kernels/codes.h"
#include "trainer/kernels/kernels.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kBlock = 512;

/// Encodes a share as a norm for each block, then all levels.
class LevelBlocks final : public ShareCode {
 public:
  explicit LevelBlocks(int bits) : levels_{(1 << (bits - 1)) - 1}, lanes_{LaneLayout::of(bits)} {}

  std::int64_t unit() const override { return kBlock; }
  std::int64_t bytes(std::int64_t elements) const override {
    return norm_bytes(elements) + lanes_.bytes(elements);
  }

  at::Tensor encode(const at::Tensor& values, const RandomKey& key,
                    std::int64_t first) const override {
    const auto norms = values.view({-1, kBlock}).norm(2, {1});
    const auto chance = random_uniform(key, first, values.numel(), values.device());
    const auto digits = floor_levels(values, norms.reciprocal().mul_(levels_), levels_, chance);
    auto words = at::empty({lanes_.words(values.numel())}, values.options().dtype(at::kByte));
    pack(digits, levels_, lanes_, words);
    return at::cat({norms.view(at::kByte), words});
  }

  at::Tensor decode(const at::Tensor& bytes, std::int64_t elements) const override {
    const auto begin = norm_bytes(elements);
    const auto norms = bytes.narrow(0, 0, begin).view(at::kFloat);
    const auto words = bytes.narrow(0, begin, bytes.numel() - begin);
    auto levels = at::zeros({elements}, bytes.options().dtype(at::kShort));
    add_lanes(words, lanes_, levels);
    return scale_numbers(levels, levels_, norms.div(levels_));
  }

 private:
  static std::int64_t norm_bytes(std::int64_t elements) { return 4 * elements / kBlock; }

  int levels_;
  LaneLayout lanes_;
};

}  // namespace

MethodDefinition qsgd_method() {
  auto info = described(
      "qsgd", "quantisation", "Alistarh et al. 2017, arXiv 1610.02132",
      "entries rounded to levels of their block's norm; each rank averages a share and rounds the "
      "mean again");
  info.options = {option::always_shown(option::choice("bits", {"8", "4", "2"},
                                                      "bits of a level, including its sign")),
                  option::error_feedback(false)};
  info.unbiased = true;
  info.collectives = {"all_to_all", "all_gather"};
  return averaging(info, [](const Json& options, const RunFacts&) {
    const auto chosen = std::stoi(options.at("bits").get<std::string>());
    return std::make_unique<ByShares>(std::make_unique<LevelBlocks>(chosen));
  });
}

}  // namespace pacbench::trainer
