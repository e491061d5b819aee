// MiCRO (Yoon and Oh 2023, arXiv 2310.00967) and ExDyna (Yoon and Oh 2024, SC, arXiv 2402.13781):
// the model as one vector is cut into as many partitions as there are workers. Each worker chooses
// the entries above a threshold in one partition, a different one in the next iteration. So no two
// workers choose the same entry, and the choices add up to about k entries whatever the number of
// workers. An all-reduce sums all workers' values at all places that were chosen. The threshold
// follows the density that was asked for. ExDyna also moves blocks, of 32 entries or a multiple of
// 32, from partitions with more choices than the mean to neighbours with fewer. Constants are those
// of the authors' code. The whole model is one bucket, so nothing overlaps with backward.
#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/sparse_entries.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// Borders between the workers' partitions of a vector, in blocks.
class Partitions {
 public:
  static constexpr std::int64_t kMostBlocks = 1024;

  void settle(std::int64_t elements, int count) {
    elements_ = elements;
    const auto wanted = (elements + kMostBlocks - 1) / kMostBlocks;
    block_elements_ = (wanted + 31) / 32 * 32;
    const auto blocks = (elements + block_elements_ - 1) / block_elements_;
    fewest_blocks_ = blocks / (4 * count);
    if (borders_.defined()) return;
    borders_ = at::empty({count + 1}, at::kLong);
    for (int i = 0; i <= count; ++i) borders_[i] = blocks * i / count;
  }

  std::int64_t begin(std::int64_t partition) const {
    const auto block = borders_[partition].item<std::int64_t>();
    return std::min(block * block_elements_, elements_);
  }

  /// Moves a block between any two neighbours if clearly more entries than the mean were chosen in
  /// one partition and clearly fewer in the other. The block goes to the latter, unless the former
  /// would keep too few blocks. `counts`: how many entries were chosen in each partition.
  void balance(const std::vector<std::int64_t>& counts) {
    const auto sum = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const double mean = static_cast<double>(sum) / static_cast<double>(counts.size());
    const auto many = [&](std::size_t i) { return static_cast<double>(counts[i]) > 1.05 * mean; };
    const auto few = [&](std::size_t i) { return static_cast<double>(counts[i]) < 0.952 * mean; };
    auto* border = borders_.data_ptr<std::int64_t>();
    for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
      if (many(i) && few(i + 1) && border[i + 1] - border[i] > fewest_blocks_) {
        --border[i + 1];
      } else if (few(i) && many(i + 1) && border[i + 2] - border[i + 1] > fewest_blocks_) {
        ++border[i + 1];
      }
    }
  }

  void visit_state(StateVisitor& visitor) { visitor.tensor("borders", borders_); }

 private:
  std::int64_t elements_ = 0;
  std::int64_t block_elements_ = 1;
  std::int64_t fewest_blocks_ = 1;
  at::Tensor borders_;  ///< int64[partitions + 1], of blocks
};

class PartitionedThreshold final : public Averager {
 public:
  PartitionedThreshold(double density, bool balances) : density_{density}, balances_{balances} {}

  Declares declares() const override { return Declares::kAfter; }

  Task<> settle(const Layout& layout, Group& group) override {
    ranks_ = group.size();
    for (const auto& bucket : layout) {
      partitions_[bucket.index].settle(bucket.elements, ranks_);
      auto& threshold = thresholds_[bucket.index];
      if (threshold.defined()) continue;
      const auto wanted = static_cast<double>(kept_of(density_, bucket.elements));
      threshold = at::full({1}, 1 / (2 * std::sqrt(wanted)), at::kDouble);
    }
    co_return;
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    const auto& counts = counts_.at(bucket.index);
    const auto sum = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const auto most = *std::max_element(counts.begin(), counts.end());
    return {counts_traffic(),
            {CollectiveKind::kAllGather, 4 * most},
            {CollectiveKind::kAllReduce, 4 * sum}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    auto& partitions = partitions_.at(bucket.layout.index);
    auto& threshold = thresholds_.at(bucket.layout.index);
    const auto number = bucket.step.number;
    const auto own_places = chosen(bucket, partitions, (number + group.rank()) % ranks_);

    const auto counts = co_await gather_counts(own_places.numel(), group);
    counts_[bucket.layout.index] = counts;
    const auto most = *std::max_element(counts.begin(), counts.end());
    auto padded = at::zeros({most}, own_places.options().dtype(at::kInt));
    padded.narrow(0, 0, own_places.numel()).copy_(own_places);
    const auto all_places = co_await group.all_gather(padded);
    std::vector<at::Tensor> parts;
    for (int rank = 0; rank < ranks_; ++rank) {
      parts.push_back(all_places.narrow(0, rank * most, counts[static_cast<std::size_t>(rank)]));
    }
    const auto places = at::cat(parts).to(at::kLong);

    const auto values = bucket.own.index_select(0, places);
    if (bucket.keeps_rest) bucket.own.index_fill_(0, places, 0);
    co_await group.all_reduce(values);
    bucket.mean.zero_().index_copy_(0, places, values.div_(ranks_));

    const auto wanted = static_cast<double>(kept_of(density_, bucket.layout.elements));
    threshold.mul_(correction(static_cast<double>(places.numel()) / wanted));
    if (!balances_) co_return;
    // By the partitions that the ranks had in this iteration.
    std::vector<std::int64_t> sorted(counts.size());
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      sorted[(static_cast<std::size_t>(number) + rank) % counts.size()] = counts[rank];
    }
    partitions.balance(sorted);
  }

  void visit_state(StateVisitor& visitor) override {
    for (auto& [index, threshold] : thresholds_) {
      visitor.tensor("threshold", threshold);
      partitions_.at(index).visit_state(visitor);
    }
  }

 private:
  /// The places of the chosen entries in partition `own`, ascending int64: at least one, unless the
  /// partition is empty.
  at::Tensor chosen(const Bucket& bucket, const Partitions& partitions, std::int64_t own) const {
    const auto begin = partitions.begin(own);
    const auto size = partitions.begin(own + 1) - begin;
    if (size == 0) return at::empty({0}, bucket.own.options().dtype(at::kLong));
    const auto part = bucket.own.narrow(0, begin, size);
    const auto threshold = thresholds_.at(bucket.layout.index).item<double>();
    // A value that is not a number is chosen: it is below no threshold.
    const auto places = part.abs().lt(threshold).logical_not_().nonzero().flatten();
    if (places.numel() > 0) return places.add_(begin);
    return at::full({1}, begin + bucket.step.number % size, places.options());
  }

  /// The threshold's factor after an iteration in which `ratio` times as many entries as wanted
  /// were chosen.
  static double correction(double ratio) {
    if (ratio > 1.1) return 1.005;
    return ratio > 1 / 1.1 ? 1.00125 : 0.995;
  }

  double density_;
  bool balances_;
  int ranks_ = 1;
  std::map<int, Partitions> partitions_;
  std::map<int, at::Tensor> thresholds_;             ///< double[1]
  std::map<int, std::vector<std::int64_t>> counts_;  ///< of all ranks, in this iteration
};

class OfTheWholeModel final : public Method {
 public:
  using Method::Method;
  Scope scope() const override { return Scope::kModel; }
};

MethodDefinition entry(const char* name, const char* summary, const char* paper, bool balances) {
  auto info = described(name, "sparsification", paper, summary);
  auto density = option::kept_share(0.001);
  density.help = "share of the model's entries that the threshold aims at";
  info.options = {density, option::error_feedback(true)};
  info.collectives = {"all_gather", "all_reduce"};
  return {info, [balances](const Json& options, const RunFacts&) -> std::unique_ptr<Method> {
            return std::make_unique<OfTheWholeModel>(with_feedback(
                options, std::make_unique<PartitionedThreshold>(options.at("ratio"), balances)));
          }};
}

}  // namespace

MethodDefinition micro_method() {
  return entry("micro", "entries above a threshold; each worker chooses in a partition of its own",
               "Yoon and Oh 2023, arXiv 2310.00967", false);
}

MethodDefinition exdyna_method() {
  return entry("exdyna", "as micro, with partitions that follow where the large entries are",
               "Yoon and Oh 2024, arXiv 2402.13781", true);
}

}  // namespace pacbench::trainer
