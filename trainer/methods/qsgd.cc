// QSGD (Alistarh, Grubic, Li, Tomioka and Vojnovic 2017, arXiv 1610.02132, section 3.1): blocks of
// 512 entries as whole levels of their norm, by stochastic rounding, so that the mean is unbiased.
// Norms differ between workers and levels do not add, so the paper gathers everything from
// everyone; here each rank receives its share of all ranks' blocks, adds them in float32, rounds
// the mean anew and lets it go round, as CGX does (Markov et al. 2022, arXiv 2111.08617). No Elias
// code.
#include <ATen/Functions.h>

#include <cmath>

#include "trainer/kernels/kernels.h"
#include "trainer/methods/method_entries.h"
#include "trainer/methods/option_specs.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kBlock = 512;

/// Shares of a bucket as bytes: a norm for each block, then all levels.
class LevelBlocks {
 public:
  explicit LevelBlocks(int bits) : levels_{(1 << (bits - 1)) - 1}, lanes_{LaneLayout::of(bits)} {}

  std::int64_t bytes(std::int64_t blocks) const {
    return 4 * blocks + lanes_.bytes(blocks * kBlock);
  }

  /// float[blocks · 512] to uint8[bytes]. The stream's numbers from `first` on decide.
  at::Tensor encode(const at::Tensor& values, const RandomKey& key, std::int64_t first) const {
    const auto blocks = values.view({-1, kBlock});
    const auto norms = blocks.norm(2, {1});
    auto chance = at::empty({values.numel()});
    fill_uniform(key, first, values.numel(), chance.mutable_data_ptr<float>());
    const auto units = blocks.abs().mul_(norms.reciprocal().mul_(levels_).unsqueeze(1));
    const auto levels = units.nan_to_num_(0).add_(chance.to(values.device()).view_as(blocks));
    const auto digits = levels.floor_().clamp_max_(levels_).mul_(blocks.sign()).to(at::kChar);
    auto words = at::empty({lanes_.words(values.numel())}, values.options().dtype(at::kByte));
    pack(digits.flatten(), levels_, lanes_, words);
    return at::cat({norms.view(at::kByte), words});
  }

  at::Tensor decode(const at::Tensor& bytes, std::int64_t blocks) const {
    const auto norms = bytes.narrow(0, 0, 4 * blocks).view(at::kFloat);
    const auto words = bytes.narrow(0, 4 * blocks, bytes.numel() - 4 * blocks);
    auto levels = at::zeros({blocks * kBlock}, bytes.options().dtype(at::kShort));
    add_lanes(words, lanes_, levels);
    const auto values = levels.sub_(levels_).to(at::kFloat).view({blocks, kBlock});
    return values.mul(norms.div(levels_).unsqueeze(1)).flatten();
  }

 private:
  int levels_;
  LaneLayout lanes_;
};

class Qsgd final : public Averager {
 public:
  explicit Qsgd(int bits) : code_{bits} {}

  Task<> settle(const Layout&, Group& group) override {
    ranks_ = group.size();
    co_return;
  }

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    const auto share = code_.bytes(blocks_of_share(bucket.elements));
    return {{CollectiveKind::kAllToAll, share * (ranks_ - 1)}, {CollectiveKind::kAllGather, share}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    require_finite(bucket, group);
    const auto elements = bucket.layout.elements;
    const auto blocks = blocks_of_share(elements);
    auto padded = at::zeros({blocks * kBlock * ranks_}, bucket.own.options());
    padded.narrow(0, 0, elements).copy_(bucket.own);
    std::vector<at::Tensor> shares;
    for (const auto& share : padded.chunk(ranks_)) {
      const auto first = std::ssize(shares) * share.numel();
      shares.push_back(code_.encode(share, bucket.own_random(), first));
    }
    if (bucket.keeps_rest) bucket.own.sub_(decode_all(at::cat(shares), elements));
    const std::vector<std::int64_t> counts(shares.size(), code_.bytes(blocks));
    const auto sent = at::cat(shares);

    const auto received = co_await group.all_to_all(sent, counts, counts);

    auto mean = at::zeros({blocks * kBlock}, bucket.own.options());
    for (const auto& theirs : received.chunk(ranks_)) mean.add_(code_.decode(theirs, blocks));
    auto key = bucket.own_random();
    key.use = RandomUse::kSelection;  // other numbers than those of the first rounding
    const auto share = code_.encode(mean.div_(ranks_), key, 0);
    const auto gathered = co_await group.all_gather(share);
    bucket.mean.copy_(decode_all(gathered, elements));
  }

 private:
  std::int64_t blocks_of_share(std::int64_t elements) const {
    const auto share = kBlock * ranks_;
    return (elements + share - 1) / share;
  }

  at::Tensor decode_all(const at::Tensor& shares, std::int64_t elements) const {
    std::vector<at::Tensor> values;
    for (const auto& share : shares.chunk(ranks_)) {
      values.push_back(code_.decode(share, blocks_of_share(elements)));
    }
    return at::cat(values).narrow(0, 0, elements);
  }

  LevelBlocks code_;
  int ranks_ = 1;
};

}  // namespace

MethodEntryPoint qsgd_method() {
  MethodInfo info;
  info.name = "qsgd";
  info.summary = "levels of each block's norm, added by shares and rounded anew";
  info.paper = "Alistarh et al. 2017, arXiv 1610.02132";
  info.family = "quantisation";
  auto bits = option::choice("bits", {"8", "4", "2"}, "of a level, its sign among them");
  bits.in_label.always = true;
  info.options = {bits, option::error_feedback(false)};
  info.unbiased = true;
  info.collectives = {"all_to_all", "all_gather"};
  return averaging(info, [](const Json& options, const RunFacts&) -> std::unique_ptr<Averager> {
    return std::make_unique<Qsgd>(std::stoi(options.at("bits").get<std::string>()));
  });
}

}  // namespace pacbench::trainer
