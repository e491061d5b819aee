// THC (Li, Basat, Vargaftik, Lao, Xu, Mitzenmacher and Yu 2024, NSDI, arXiv 2302.08545). A shared
// random rotation (signs, then a Hadamard transform) makes entries about normally distributed, so
// that one table of 16 levels fits all blocks. Levels are whole numbers, so they are added without
// decoding. Four bits an entry go to the rank that adds its share, and eight come back. Blocks of
// 4096 entries are rotated and scaled by the largest norm of any rank. Error feedback keeps what
// rounding and clipping left out.
//
// The table is the authors' for 16 levels at 31 places and a clipped share of 1/32; `uniform` has
// 16 levels at equal distances. Sums of the authors' levels, up to 30 each, fit a byte for eight
// workers; those of `uniform`, up to 15 each, for 17. Sums of more workers take two bytes.
#include <ATen/Functions.h>

#include <cmath>
#include <map>

#include "trainer/averaging/by_shares.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/encoding/random_draws.h"
#include "trainer/kernels/codes.h"
#include "trainer/kernels/kernels.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kRotated = 4096;  ///< entries of a block

constexpr float kLimit = 2.153875F;  ///< 1/32 of standard normal numbers lie beyond ±kLimit

using raw::LevelTable;
constexpr LevelTable kNonuniform{
    {0, 3, 5, 7, 9, 11, 13, 14, 16, 17, 19, 21, 23, 25, 27, 30}, kLimit, 2 * kLimit / 30};
constexpr LevelTable kUniform{
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, kLimit, 2 * kLimit / 15};

/// Encodes values of about normal distribution as levels of a table, and their sums as whole
/// numbers.
class TableCode final : public ShareCode {
 public:
  TableCode(const LevelTable& table, int ranks) : table_{table}, ranks_{ranks} {}

  std::int64_t unit() const override { return kRotated; }
  std::int64_t bytes(std::int64_t elements) const override { return elements / 2; }
  std::int64_t mean_bytes(std::int64_t elements) const override {
    return elements * (table_.places[15] * ranks_ < 256 ? 1 : 2);
  }

  at::Tensor encode(const at::Tensor& values, const RandomKey& key,
                    std::int64_t first) const override {
    const auto chance = random_uniform(key, first, values.numel(), values.device());
    const auto levels = table_levels(values, table_, chance);
    auto packed = at::empty({bytes(values.numel())}, values.options().dtype(at::kByte));
    pack(levels, 0, LaneLayout::of(4), packed);
    return packed;
  }

  at::Tensor decode(const at::Tensor& bytes, std::int64_t elements) const override {
    return from_scale(sum_of({bytes}, elements));
  }

  /// Returns, in place of the mean, the sum of the levels' places: whole numbers. decode_mean()
  /// divides it by the number of ranks.
  at::Tensor mean(const std::vector<at::Tensor>& received, std::int64_t elements,
                  const RandomKey&) const override {
    return sum_of(received, elements);
  }

  at::Tensor encode_mean(const at::Tensor& sum, const RandomKey&) const override {
    if (mean_bytes(1) == 1) return sum.to(at::kByte);
    return sum.to(at::kShort).view(at::kByte);
  }

  at::Tensor decode_mean(const at::Tensor& bytes, std::int64_t) const override {
    const auto sum = mean_bytes(1) == 1 ? bytes : bytes.view(at::kShort);
    return from_scale(sum.to(at::kFloat).div_(ranks_));
  }

 private:
  at::Tensor sum_of(const std::vector<at::Tensor>& received, std::int64_t elements) const {
    const auto sums = at::zeros({elements}, received.front().options().dtype(at::kShort));
    for (const auto& packed : received) add_places(packed, table_, sums);
    return sums.to(at::kFloat);
  }

  at::Tensor from_scale(const at::Tensor& scaled) const {
    return scaled.mul(table_.step).sub_(table_.limit);
  }

  LevelTable table_;
  int ranks_;
};

class Thc final : public Averager {
 public:
  explicit Thc(const Json& options)
      : table_{options.at("table") == "uniform" ? kUniform : kNonuniform} {}

  Task<> settle(const Layout& layout, Group& group) override {
    levels_ = std::make_unique<ByShares>(std::make_unique<TableCode>(table_, group.size()));
    rotated_.clear();
    for (const auto& bucket : layout) {
      auto& rotated = rotated_[bucket.index];
      rotated.index = bucket.index;
      rotated.elements = rows_of(bucket) * kRotated;
    }
    Layout all;
    for (const auto& [index, rotated] : rotated_) all.push_back(rotated);
    return levels_->settle(all, group);
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step& step) const override {
    auto calls = levels_->traffic(rotated_.at(bucket.index), step);
    calls.insert(calls.begin(), {CollectiveKind::kAllReduce, 4 * rows_of(bucket)});
    return calls;
  }

  Task<> average(Bucket& bucket, Group& group) override {
    require_finite(bucket, group);
    const auto zeros = rows_of(bucket.layout) * kRotated - bucket.layout.elements;
    const auto rows = at::constant_pad_nd(bucket.own, {0, zeros}).view({-1, kRotated});
    const auto norms = rows.norm(2, {1});
    co_await group.all_reduce(norms, Reduction::kMax);

    // Scales to unit variance, by the largest norm of any rank; a block of zeros stays zero.
    const auto unit = norms.div(std::sqrt(static_cast<double>(kRotated)));
    const auto scale = at::where(unit > 0, unit, 1).unsqueeze(1);
    const auto signs = signs_of(bucket, rows);
    const auto values = hadamard(rows * signs).div_(scale).flatten();
    const auto mean = bucket.keeps_rest ? at::empty_like(values) : values;
    Bucket rotated{rotated_.at(bucket.layout.index),
                   values,
                   mean,
                   bucket.keeps_rest,
                   bucket.random,
                   bucket.step};
    co_await levels_->average(rotated, group);

    const auto back = [&](const at::Tensor& from) {
      const auto turned = hadamard(from.view({-1, kRotated}) * scale).mul_(signs);
      return turned.mul_(norms.gt(0).unsqueeze(1)).flatten().narrow(0, 0, bucket.own.numel());
    };
    if (bucket.keeps_rest) bucket.own.copy_(back(rotated.own));
    bucket.mean.copy_(back(rotated.mean));
  }

 private:
  static std::int64_t rows_of(const BucketLayout& bucket) {
    return (bucket.elements + kRotated - 1) / kRotated;
  }

  /// ±1 for each entry, the same on all ranks, different in every iteration.
  static at::Tensor signs_of(const Bucket& bucket, const at::Tensor& rows) {
    auto key = bucket.shared_random();
    key.use = RandomUse::kSelection;
    const auto chance = random_uniform(key, 0, rows.numel(), rows.device());
    auto signs = at::zeros_like(chance);
    add_signs(pack_signs(chance.sub_(0.5)), 0, 1, signs);
    return signs.view_as(rows);
  }

  LevelTable table_;
  std::unique_ptr<ByShares> levels_;
  std::map<int, BucketLayout> rotated_;
};

}  // namespace

MethodDefinition thc_method() {
  auto info = described(
      "thc", "quantisation", "Li et al. 2024, arXiv 2302.08545",
      "rotated gradients as 16 levels that can be added without decoding; 4 bits up, 8 bits down "
      "(16 where sums of many workers need them)");
  info.options = {
      option::choice("table", {"30", "uniform"},
                     "positions of the 16 levels: the paper's, which end at 30, or uniform"),
      option::error_feedback(true)};
  info.collectives = {"all_reduce", "all_to_all", "all_gather"};
  return averaging<Thc>(info);
}

}  // namespace pacbench::trainer
