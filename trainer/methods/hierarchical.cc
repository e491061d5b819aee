// Hierarchical all-reduce over sites of neighbouring ranks: sums inside each site, then among one
// leader of each, then the mean goes round inside. Links between sites carry what the leaders
// exchange, 2 (S - 1) / S of a gradient for S sites, whatever the number of workers (Jia et al.
// 2018, arXiv 1807.11205, section 3.2.2). Lossless.
#include <ATen/Functions.h>
#include <fmt/format.h>

#include <numeric>
#include <stdexcept>

#include "trainer/methods/method_entries.h"
#include "trainer/methods/option_specs.h"

namespace pacbench::trainer {
namespace {

class Hierarchical final : public Averager {
 public:
  explicit Hierarchical(std::int64_t sites) : site_count_{sites} {}

  bool ranks_are_alike() const override { return false; }

  Task<> settle(const Layout&, Group& group) override {
    const int count = static_cast<int>(site_count_);
    if (group.size() < count) {
      throw std::invalid_argument{fmt::format(
          "hierarchical: found {} workers, expected at least one for each of the {} sites; give "
          "fewer `sites`",
          group.size(), count)};
    }
    sites_.clear();
    leaders_.clear();
    for (int site = 0; site < count; ++site) {
      const auto begin = Group::chunk_begin(group.size(), site, count);
      const auto end = Group::chunk_begin(group.size(), site + 1, count);
      auto& ranks = sites_.emplace_back(end - begin);
      std::iota(ranks.begin(), ranks.end(), static_cast<int>(begin));
      leaders_.push_back(ranks.front());
    }
    // Members meet here, before the clock runs.
    for (const auto& ranks : all_groups()) group.sub_group(ranks);
    co_return;
  }

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    const auto bytes = 4 * bucket.elements;
    std::vector<PlannedCollective> calls;
    for (const auto& site : sites_) calls.push_back({CollectiveKind::kAllReduce, bytes, 0, site});
    calls.push_back({CollectiveKind::kAllReduce, bytes, 0, leaders_});
    for (const auto& site : sites_) calls.push_back({CollectiveKind::kBroadcast, bytes, 0, site});
    return calls;
  }

  Task<> average(Bucket& bucket, Group& group) override {
    if (bucket.keeps_rest) {
      bucket.mean.copy_(bucket.own);
      bucket.own.zero_();
    }
    for (const auto& site : sites_) {
      auto inside = group.sub_group(site);
      co_await inside.all_reduce(bucket.mean);
    }
    auto between = group.sub_group(leaders_);
    co_await between.all_reduce(bucket.mean);
    for (const auto& site : sites_) {
      auto inside = group.sub_group(site);
      co_await inside.broadcast(bucket.mean, 0);
    }
    bucket.mean.div_(group.size());
  }

 private:
  std::vector<std::vector<int>> all_groups() const {
    auto groups = sites_;
    groups.push_back(leaders_);
    return groups;
  }

  std::int64_t site_count_;
  std::vector<std::vector<int>> sites_;
  std::vector<int> leaders_;
};

}  // namespace

MethodEntryPoint hierarchical_method() {
  MethodInfo info;
  info.name = "hierarchical";
  info.summary = "dense float32 sums inside sites, among their leaders, and back";
  info.paper = "Jia et al. 2018, arXiv 1807.11205";
  info.family = "dense";
  auto sites = option::count("sites", 2, "equal parts of neighbouring ranks");
  sites.in_label.always = true;
  info.options = {sites};
  info.lossless = true;
  info.unbiased = true;
  info.collectives = {"all_reduce", "broadcast"};
  return averaging(info, [](const Json& options, const RunFacts&) -> std::unique_ptr<Averager> {
    return std::make_unique<Hierarchical>(options.at("sites"));
  });
}

}  // namespace pacbench::trainer
