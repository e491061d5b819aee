// Sends the kept elements as floats: what PacTrain's paper calls masking alone (float32), and a
// variant with values in half precision.
#include <ATen/Functions.h>

#include "trainer/averaging/carrier.h"

namespace pacbench::trainer {
namespace {

class FloatCarrier final : public Carrier {
 public:
  explicit FloatCarrier(at::ScalarType type) : type_{type} {}

  std::vector<PlannedCollective> traffic_of(const BucketMask& mask, Flag flag) const override {
    const auto elements = mask.kept() + (flag == Flag::kNone ? 0 : 1);
    const auto bytes = static_cast<std::int64_t>(c10::elementSize(type_));
    return {{CollectiveKind::kAllReduce, elements * bytes}};
  }

  Task<bool> average_kept(Bucket& bucket, const BucketMask& mask, Flag flag,
                          Group& group) override {
    const auto kept = mask.kept();
    auto values = at::empty({kept + (flag == Flag::kNone ? 0 : 1)}, bucket.own.options());
    mask.compact(bucket.own, values);
    if (flag != Flag::kNone) values[kept].fill_(flag == Flag::kUp ? 1.0F : 0.0F);

    // Values are divided before the sum only where the sum could overflow.
    const bool narrow = type_ != at::kFloat;
    auto payload = narrow ? values.div_(group.size()).to(type_) : values;
    if (bucket.keeps_rest) take_sent(bucket, mask, payload, group.size());
    co_await group.all_reduce(payload);

    if (narrow) payload = payload.to(at::kFloat);
    mask.scatter(narrow ? payload : payload.div_(group.size()), bucket.mean);
    co_return flag != Flag::kNone&& payload[kept].item<float>() > 0;
  }

 private:
  /// Subtracts what was sent from `own`; floats of the full width leave nothing.
  void take_sent(Bucket& bucket, const BucketMask& mask, const at::Tensor& payload,
                 int ranks) const {
    if (type_ == at::kFloat) {
      bucket.own.zero_();
      return;
    }
    mask.scatter(payload.to(at::kFloat).mul_(ranks), bucket.mean);
    bucket.own.sub_(bucket.mean);
  }

  at::ScalarType type_;
};

}  // namespace

std::unique_ptr<Carrier> make_float_carrier(at::ScalarType type) {
  return std::make_unique<FloatCarrier>(type);
}

}  // namespace pacbench::trainer
