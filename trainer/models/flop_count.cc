#include "trainer/models/flop_count.h"

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <atomic>
#include <memory>
#include <string_view>

namespace pacbench::trainer {
namespace {

std::atomic<double> counted;

double numel(const c10::IValue& value) { return static_cast<double>(value.toTensor().numel()); }

/// The floating-point operations of a product of [.., m, k] and [.., k, n].
double product(const c10::IValue& left, const c10::IValue& right) {
  return 2 * numel(left) * static_cast<double>(right.toTensor().size(-1));
}

/// Every output element takes a multiplication and an addition for each element of one filter.
/// Inputs are those of aten::convolution: input, weight, bias, stride, padding, dilation and more.
double flop_of_convolution(c10::ArrayRef<const c10::IValue> inputs) {
  const auto& input = inputs[0].toTensor();
  const auto& weight = inputs[1].toTensor();
  const auto stride = inputs[3].toIntVector();
  const auto padding = inputs[4].toIntVector();
  const auto dilation = inputs[5].toIntVector();
  auto elements = input.size(0) * weight.size(0);
  for (std::size_t i = 0; i < stride.size(); ++i) {
    const auto side = static_cast<std::int64_t>(i) + 2;
    const auto reach = dilation[i] * (weight.size(side) - 1) + 1;
    elements *= (input.size(side) + 2 * padding[i] - reach) / stride[i] + 1;
  }
  return 2 * static_cast<double>(elements) * static_cast<double>(weight.numel() / weight.size(0));
}

/// The operations of attention with query [.., l, e], key and value [.., s, e]: the scores, then
/// the mean of the values weighted by the scores.
double attention(const c10::IValue& query, const c10::IValue& key) {
  return 4 * numel(query) * static_cast<double>(key.toTensor().size(-2));
}

double flop_of(const at::RecordFunction& call) {
  const std::string_view name{call.name()};
  const auto inputs = call.inputs();
  if (name == "aten::convolution") return flop_of_convolution(inputs);
  if (name == "aten::addmm") return product(inputs[1], inputs[2]);
  if (name == "aten::mm" || name == "aten::bmm") return product(inputs[0], inputs[1]);
  if (name == "aten::baddbmm") return product(inputs[1], inputs[2]);
  if (name == "aten::scaled_dot_product_attention") return attention(inputs[0], inputs[1]);
  return 0;
}

/// Counts a call when it begins, because its inputs are gone when it ends.
std::unique_ptr<at::ObserverContext> begins(const at::RecordFunction& call) {
  counted = counted + flop_of(call);
  return nullptr;
}

}  // namespace

double count_flop(const std::function<void()>& body) {
  counted = 0;
  at::RecordFunctionCallback callback{begins};
  callback.needsInputs(true).scopes({at::RecordScope::FUNCTION});
  const auto handle = at::addGlobalCallback(callback);
  body();
  at::removeCallback(handle);
  return counted;
}

}  // namespace pacbench::trainer
