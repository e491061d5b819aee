// The kept elements as floats: what PacTrain's paper calls masking alone (float32), and the same
// with values in half precision.
#include <ATen/Functions.h>

#include "trainer/methods/carrier.h"

namespace pacbench::trainer {
namespace {

class FloatCarrier final : public Carrier {
 public:
  explicit FloatCarrier(at::ScalarType type) : type_{type} {}

  std::vector<PlannedCollective> traffic(const BucketLayout&, const BucketMask& mask,
                                         Flag flag) const override {
    const auto elements = mask.kept() + (flag == Flag::kNone ? 0 : 1);
    const auto bytes = static_cast<std::int64_t>(c10::elementSize(type_));
    return {{CollectiveKind::kAllReduce, elements * bytes, 0}};
  }

  Task<bool> reduce(Bucket& bucket, const BucketMask& mask, Flag flag, at::Tensor residual,
                    Group& group) override {
    const auto kept = mask.kept();
    auto values = at::empty({kept + (flag == Flag::kNone ? 0 : 1)}, bucket.gradient().options());
    mask.compact(bucket.gradient(), values);
    if (flag != Flag::kNone) values[kept].fill_(flag == Flag::kUp ? 1.0F : 0.0F);

    // Divided before the sum only where the sum could overflow.
    const bool narrow = type_ != at::kFloat;
    auto payload = narrow ? values.div_(group.size()).to(type_) : values;
    if (narrow && residual.defined()) {
      mask.scatter(payload.to(at::kFloat).mul_(-group.size()), residual);
      residual.add_(bucket.gradient());
    }
    co_await group.all_reduce(payload);

    if (narrow) payload = payload.to(at::kFloat);
    mask.scatter(narrow ? payload : payload.div_(group.size()), bucket.gradient());
    co_return flag != Flag::kNone&& payload[kept].item<float>() > 0;
  }

 private:
  at::ScalarType type_;
};

}  // namespace

std::unique_ptr<Carrier> make_float_carrier(at::ScalarType type) {
  return std::make_unique<FloatCarrier>(type);
}

}  // namespace pacbench::trainer
