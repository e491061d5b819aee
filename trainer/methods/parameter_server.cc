// Parameter servers (Li et al. 2014, OSDI): every worker pushes its gradient to servers, which add
// and give back the mean. Here servers run on the workers. Each worker serves a share of every
// bucket, or rank 0 serves all buckets and its link carries what N - 1 others send. Lossless.
#include <ATen/Functions.h>

#include "trainer/averaging/by_shares.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class Floats final : public ShareCode {
 public:
  std::int64_t bytes(std::int64_t elements) const override { return 4 * elements; }
  at::Tensor encode(const at::Tensor& values, const RandomKey&, std::int64_t) const override {
    return values.clone().view(at::kByte);
  }
  at::Tensor decode(const at::Tensor& bytes, std::int64_t) const override {
    return bytes.view(at::kFloat);
  }
};

/// Rank 0 receives every bucket whole from each rank, and sends the mean to each.
class OneServer final : public PlacedAverager {
 public:
  Recording recording() const override { return {.ranks_are_alike = false}; }

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    const auto bytes = 4 * bucket.elements;
    const auto all_to_all = CollectiveKind::kAllToAll;
    if (rank_ == 0) return {{all_to_all, 0}, {all_to_all, bytes * (ranks_ - 1)}};
    return {{all_to_all, bytes}, {all_to_all, 0}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto elements = bucket.layout.elements;
    const bool serves = rank_ == 0;
    const std::vector<std::int64_t> served(static_cast<std::size_t>(ranks_), serves ? elements : 0);
    std::vector<std::int64_t> to_server(served.size(), 0);
    to_server[0] = elements;
    const auto received = co_await group.all_to_all(bucket.own, to_server, served);
    auto sent = at::empty({0}, bucket.own.options());
    if (serves) {
      const auto mean = received.view({ranks_, elements}).sum(0).div_(ranks_);
      sent = mean.repeat({ranks_});
    }
    const auto mean = co_await group.all_to_all(sent, served, to_server);
    if (bucket.keeps_rest) bucket.own.zero_();
    bucket.mean.copy_(mean);
  }
};

}  // namespace

MethodDefinition parameter_server_method() {
  auto info = described(
      "parameter-server", "dense", "Li et al. 2014, OSDI, \"Scaling distributed machine learning\"",
      "float32 to servers that return the mean; all workers are servers, or one is");
  info.options = {option::choice(
      "servers", {"all", "one"},
      "all: every worker serves a share of each bucket; one: rank 0 serves all buckets")};
  info.lossless = true;
  info.unbiased = true;
  info.collectives = {"all_to_all", "all_gather"};
  return averaging(info, [](const Json& options, const RunFacts&) -> std::unique_ptr<Averager> {
    if (options.at("servers") == "one") return std::make_unique<OneServer>();
    return std::make_unique<ByShares>(std::make_unique<Floats>());
  });
}

}  // namespace pacbench::trainer
