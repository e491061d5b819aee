// EF-SignSGD (Karimireddy, Rebjock, Stich and Jaggi 2019, arXiv 1901.09847, algorithm 1): the sign
// of every entry, times the mean magnitude of its layer. Scales differ between workers, so an
// all-gather carries them with the bits. It is biased, and converges by error feedback. The
// residual is of gradients, rescaled when the learning rate changes. The paper's, of steps, is
// equivalent.
#include <ATen/Functions.h>

#include "trainer/averaging/option_specs.h"
#include "trainer/kernels/codes.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class ScaledSigns final : public Averager {
 public:
  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    return {{CollectiveKind::kAllGather, scale_bytes(bucket) + sign_bytes(bucket.elements)}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    require_finite(bucket, group);
    const auto scales = mean_magnitudes(bucket);
    const auto signs = pack_signs(bucket.own);
    if (bucket.keeps_rest) add(bucket.layout, scales, signs, -1, bucket.own);
    const auto payload = at::cat({scales.view(at::kByte).to(signs.device()), signs});

    const auto gathered = co_await group.all_gather(payload);

    bucket.mean.zero_();
    const auto bytes = scale_bytes(bucket.layout);
    for (const auto& theirs : gathered.chunk(group.size())) {
      add(bucket.layout, theirs.narrow(0, 0, bytes).view(at::kFloat).cpu(),
          theirs.narrow(0, bytes, theirs.numel() - bytes), 1.0F / static_cast<float>(group.size()),
          bucket.mean);
    }
  }

 private:
  static std::int64_t scale_bytes(const BucketLayout& bucket) {
    return 4 * std::ssize(bucket.slices);
  }

  /// float[layers], on the host.
  static at::Tensor mean_magnitudes(const Bucket& bucket) {
    std::vector<at::Tensor> scales;
    for (const auto& slice : bucket.layout.slices) {
      scales.push_back(Bucket::part(bucket.own, slice).abs().mean());
    }
    return at::stack(scales).cpu();
  }

  static void add(const BucketLayout& bucket, const at::Tensor& scales, const at::Tensor& signs,
                  float factor, const at::Tensor& values) {
    const auto* scale = scales.const_data_ptr<float>();
    for (const auto& slice : bucket.slices) {
      add_signs(signs, slice.offset, *scale++ * factor, Bucket::part(values, slice));
    }
  }
};

}  // namespace

MethodDefinition ef_signsgd_method() {
  auto info = described(
      "ef-signsgd", "quantisation", "Karimireddy et al. 2019, arXiv 1901.09847",
      "one bit for each entry and one scale for each layer, by all-gather, with error feedback");
  info.options = {option::error_feedback(true)};
  info.collectives = {"all_gather"};
  return averaging<ScaledSigns>(info, Feedback::Of::kSteps);
}

}  // namespace pacbench::trainer
