// Top-k sparsification: each worker sends the k entries of largest magnitude of a bucket, as their
// float32 values and a code of their indices, to all others. Aji and Heafield 2017, arXiv
// 1704.05021. Biased; with error feedback what is left out is added to the next gradient (sent +
// residual = gradient + old residual). Workers choose different entries, so an all-gather carries
// them: N-1 times the bytes.
#include <ATen/Functions.h>

#include <cstring>

#include "trainer/kernels/largest.h"
#include "trainer/methods/index_code.h"
#include "trainer/methods/kept.h"
#include "trainer/methods/method_entries.h"
#include "trainer/methods/option_specs.h"

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

class TopK final : public Averager {
 public:
  TopK(double ratio, bool packed) : ratio_{ratio}, packed_{packed} {}

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket) const override {
    return {{CollectiveKind::kAllGather, payload_of(bucket.elements).words() * 4}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    auto& own = bucket.own;
    const auto payload = payload_of(own.numel());
    const auto indices = largest(own, kept_of(ratio_, own.numel()));
    const auto sent = payload.encode(own.index_select(0, indices), indices);
    if (bucket.keeps_rest) own.index_fill_(0, indices, 0);

    const auto gathered = co_await group.all_gather(sent);

    auto& mean = bucket.mean.zero_();
    for (int rank = 0; rank < group.size(); ++rank) {
      const auto theirs = gathered.narrow(0, payload.words() * rank, payload.words());
      mean.index_add_(0, payload.indices(theirs), payload.values(theirs));
    }
    mean.div_(group.size());
  }

 private:
  Payload payload_of(std::int64_t elements) const {
    return {elements, kept_of(ratio_, elements), packed_};
  }

  double ratio_;
  bool packed_;
};

std::unique_ptr<Averager> make_topk(const Json& options, const RunFacts&) {
  return std::make_unique<TopK>(options.at("ratio"), options.at("indices") == "packed");
}

}  // namespace

MethodEntryPoint topk_method() {
  MethodInfo info;
  info.name = "topk";
  info.summary = "top-k entries of each bucket by all-gather, with error feedback";
  info.paper = "Aji and Heafield 2017, arXiv 1704.05021";
  info.options = {
      option::kept_share(),
      option::choice(
          "indices", {"packed", "int32"},
          "how the places of the entries travel: as Elias-Fano code or bitmap, whichever "
          "is shorter, or four bytes each"),
      option::error_feedback(true),
  };
  info.collectives = {"all_gather"};
  return averaging(info, make_topk);
}

}  // namespace pacbench::trainer
