// Top-k sparsification: each worker sends the k entries of largest magnitude of a bucket, as int32
// indices and float32 values, to all others. Aji and Heafield 2017, arXiv 1704.05021. Biased; what
// is left out is added to the next gradient (error feedback: sent + residual = gradient + old
// residual). Workers choose different entries, so an all-gather carries them: N-1 times the bytes.
#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "trainer/methods/method_entries.h"
#include "trainer/methods/residuals.h"

namespace pacbench::trainer {
namespace {

class TopK final : public Method {
 public:
  explicit TopK(double ratio) : ratio_{ratio} {}

  std::vector<PlannedCollective> expected_traffic(const BucketLayout& bucket) const override {
    return {{CollectiveKind::kAllGather, kept(bucket.elements) * 8, 0}};
  }

  Task<> layout_settled(const Layout& layout, Group& group) override {
    residuals_.settle(layout, group.device());
    co_return;
  }

  Task<> exchange(Bucket& bucket, Group& group) override {
    auto& gradient = bucket.gradient();
    auto& residual = residuals_.of(bucket.layout().index);
    residual.add_(gradient);
    const auto k = kept(gradient.numel());
    const auto indices = std::get<1>(residual.abs().topk(k, 0, true, false));
    const auto values = residual.index_select(0, indices);
    residual.index_fill_(0, indices, 0);

    // One collective for both: the values travel as the bits of int32 words.
    const auto payload = at::cat({indices.to(at::kInt), values.view(at::kInt)});
    const auto gathered = co_await group.all_gather(payload);

    gradient.zero_();
    for (int rank = 0; rank < group.size(); ++rank) {
      const auto theirs = gathered.narrow(0, 2 * k * rank, 2 * k);
      gradient.index_add_(0, theirs.narrow(0, 0, k), theirs.narrow(0, k, k).view(at::kFloat));
    }
    gradient.div_(group.size());
  }

  void visit_state(StateVisitor& visitor) override { residuals_.visit_state(visitor); }
  std::optional<double> residual_norm() const override { return residuals_.norm(); }

 private:
  std::int64_t kept(std::int64_t elements) const {
    return std::clamp<std::int64_t>(std::llround(ratio_ * static_cast<double>(elements)), 1,
                                    elements);
  }

  double ratio_;
  Residuals residuals_;
};

}  // namespace

MethodEntryPoint topk_method() {
  OptionSpec ratio;
  ratio.name = "ratio";
  ratio.range = Range::ratio();
  ratio.help = "share of each bucket's entries that a worker sends";
  ratio.in_label = OptionSpec::InLabel::kAlways;
  MethodInfo info;
  info.name = "topk";
  info.summary = "top-k entries of each bucket by all-gather, with error feedback";
  info.paper = "Aji and Heafield 2017, arXiv 1704.05021";
  info.options = {ratio};
  info.error_feedback = true;
  info.collectives = {"all_gather"};
  return {info, [](const Json& options, const LinkFacts&) -> std::unique_ptr<Method> {
            return std::make_unique<TopK>(options.at("ratio").get<double>());
          }};
}

}  // namespace pacbench::trainer
