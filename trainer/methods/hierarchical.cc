// Hierarchical all-reduce over sites of neighbouring ranks. Each site sums its gradients, the
// sites' leaders add up these sums, and each leader sends the total to its site. Between S sites,
// each leader sends 2 (S - 1) / S of a gradient, whatever the number of workers (Jia et al. 2018,
// arXiv 1807.11205, section 3.2.2). Lossless.
#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/sites.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class Hierarchical final : public Averager {
 public:
  explicit Hierarchical(const Json& options) : site_count_{options.at("sites")} {}

  Recording recording() const override { return {.ranks_are_alike = false}; }

  Task<> settle(const Layout&, Group& group) override {
    sites_ = Sites{"hierarchical", site_count_, group};
    co_return;
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    const auto bytes = 4 * bucket.elements;
    PlannedCalls calls;
    sites_.declare_sum_inside(bytes, calls);
    sites_.declare_sum_between(bytes, calls);
    return calls;
  }

  Task<> average(Bucket& bucket, Group& group) override {
    if (bucket.keeps_rest) {
      bucket.mean.copy_(bucket.own);
      bucket.own.zero_();
    }
    co_await sites_.sum_inside(bucket.mean, group);
    co_await sites_.sum_between(bucket.mean, group);
    bucket.mean.div_(group.size());
  }

 private:
  std::int64_t site_count_;
  Sites sites_;
};

}  // namespace

MethodDefinition hierarchical_method() {
  auto info =
      described("hierarchical", "dense", "Jia et al. 2018, arXiv 1807.11205",
                "dense float32 sums inside each site, then among the sites' leaders, and back");
  info.options = {option::sites()};
  info.lossless = true;
  info.unbiased = true;
  info.collectives = {"all_reduce", "broadcast"};
  return averaging<Hierarchical>(info);
}

}  // namespace pacbench::trainer
