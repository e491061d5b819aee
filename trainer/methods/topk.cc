// Top-k sparsification: each worker sends the k entries of largest magnitude of a bucket, as their
// float32 values and a code of their indices, to all others. Aji and Heafield 2017, arXiv
// 1704.05021. Biased; with error feedback what is left out is added to the next gradient (sent +
// residual = gradient + old residual). Workers choose different entries, so an all-gather carries
// them: N-1 times the bytes.
#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "trainer/kernels/largest.h"
#include "trainer/methods/index_code.h"
#include "trainer/methods/method_entries.h"
#include "trainer/methods/option_specs.h"
#include "trainer/methods/residuals.h"

namespace pacbench::trainer {
namespace {

/// One rank's entries as int32 words: the values' bits, then the indices.
class Payload {
 public:
  Payload(std::int64_t elements, std::int64_t kept, bool packed)
      : kept_{kept}, packed_{packed}, code_{elements, kept} {}

  std::int64_t words() const { return kept_ + (packed_ ? (code_.bytes() + 3) / 4 : kept_); }

  at::Tensor encode(const at::Tensor& values, const at::Tensor& indices) const {
    if (!packed_) return at::cat({values.view(at::kInt), indices.to(at::kInt)});
    // A GPU's indices are few enough to be coded on the host.
    const auto on_host = indices.cpu();
    auto code = at::zeros({words() - kept_}, at::kInt);
    code_.encode(on_host.const_data_ptr<std::int64_t>(),
                 static_cast<std::uint8_t*>(code.mutable_data_ptr()));
    return at::cat({values.view(at::kInt), code.to(values.device())});
  }

  at::Tensor indices(const at::Tensor& payload) const {
    const auto code = payload.narrow(0, kept_, words() - kept_);
    if (!packed_) return code;
    auto indices = at::empty({kept_}, at::kLong);
    const auto on_host = code.cpu();
    code_.decode(static_cast<const std::uint8_t*>(on_host.const_data_ptr()),
                 indices.mutable_data_ptr<std::int64_t>());
    return indices.to(payload.device());
  }

  at::Tensor values(const at::Tensor& payload) const {
    return payload.narrow(0, 0, kept_).view(at::kFloat);
  }

 private:
  std::int64_t kept_;
  bool packed_;
  IndexCode code_;
};

struct Options {
  double ratio = 0;
  bool packed = true;
  bool error_feedback = true;
};

class TopK final : public Method {
 public:
  explicit TopK(const Options& options) : options_{options} {}

  std::vector<PlannedCollective> expected_traffic(const BucketLayout& bucket) const override {
    return {{CollectiveKind::kAllGather, payload_of(bucket.elements).words() * 4, 0}};
  }

  Task<> layout_settled(const Layout& layout, Group& group) override {
    if (options_.error_feedback) residuals_.settle(layout, group.device());
    co_return;
  }

  Task<> exchange(Bucket& bucket, Group& group) override {
    auto& gradient = bucket.gradient();
    auto own = gradient;
    if (options_.error_feedback) own = residuals_.of(bucket.layout().index).add_(gradient);
    const auto indices = largest(own, kept(own.numel()));
    const auto payload = payload_of(own.numel());
    const auto sent = payload.encode(own.index_select(0, indices), indices);
    if (options_.error_feedback) own.index_fill_(0, indices, 0);

    const auto gathered = co_await group.all_gather(sent);

    gradient.zero_();
    for (int rank = 0; rank < group.size(); ++rank) {
      const auto theirs = gathered.narrow(0, payload.words() * rank, payload.words());
      gradient.index_add_(0, payload.indices(theirs), payload.values(theirs));
    }
    gradient.div_(group.size());
  }

  void visit_state(StateVisitor& visitor) override { residuals_.visit_state(visitor); }
  std::optional<double> residual_norm() const override {
    return options_.error_feedback ? std::optional{residuals_.norm()} : std::nullopt;
  }

 private:
  std::int64_t kept(std::int64_t elements) const {
    return std::clamp<std::int64_t>(std::llround(options_.ratio * static_cast<double>(elements)), 1,
                                    elements);
  }
  Payload payload_of(std::int64_t elements) const {
    return {elements, kept(elements), options_.packed};
  }

  Options options_;
  Residuals residuals_;
};

std::unique_ptr<Method> make_topk(const Json& options, const LinkFacts&) {
  return std::make_unique<TopK>(Options{options.at("ratio"), options.at("indices") == "packed",
                                        options.at("error_feedback")});
}

}  // namespace

MethodEntryPoint topk_method() {
  OptionSpec ratio;
  ratio.name = "ratio";
  ratio.range = Range::ratio();
  ratio.help = "share of each bucket's entries that a worker sends";
  ratio.in_label = {.always = true, .share = "keep"};
  MethodInfo info;
  info.name = "topk";
  info.summary = "top-k entries of each bucket by all-gather, with error feedback";
  info.paper = "Aji and Heafield 2017, arXiv 1704.05021";
  info.options = {
      ratio,
      option::choice(
          "indices", {"packed", "int32"},
          "how the places of the entries travel: as Elias-Fano code or bitmap, whichever "
          "is shorter, or four bytes each"),
      option::boolean("error_feedback", true, "add what was not sent to the next gradient"),
  };
  info.error_feedback = true;
  info.collectives = {"all_gather"};
  return {info, make_topk};
}

}  // namespace pacbench::trainer
