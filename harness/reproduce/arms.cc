#include "harness/reproduce/arms.h"

#include <fmt/format.h>

#include <map>

namespace pacbench::reproduce {
namespace {

/// How ternary digits travel: "" for a byte each.
std::string way_of(const Json& method) {
  const auto encoding = method.value("encoding", "int8");
  return encoding == "int8" ? "" : "-" + encoding;
}

std::string masked_kind(const Json& method) {
  if (!method.value("gradient_masking", true)) return "unmasked";
  const auto quantize = method.value("quantize", "none");
  if (quantize == "none") return "masked";
  const bool feedback = method.value("error_feedback", false);
  if (quantize == "fp16" && !feedback) return "masked-fp16";
  return quantize == "ternary" && !feedback ? "masked-ternary" + way_of(method) : "masked-levels";
}

std::string ternary_kind(const Json& method) {
  const bool plain =
      method.value("quantize", "ternary") == "ternary" && !method.value("error_feedback", false);
  return plain ? "ternary" + way_of(method) : "terngrad";
}

}  // namespace

std::string arm_kind(const Json& method) {
  const std::string name = method.at("name");
  if (name == "pactrain") return masked_kind(method);
  if (name == "terngrad") return ternary_kind(method);
  if (name == "topk") return fmt::format("topk-{:g}", method.value("ratio", 0.01));
  if (name == "fp16" && method.value("sum", "ring") != "ring") return "fp16-direct";
  return name;
}

std::string arm_words(const std::string& kind) {
  static const std::map<std::string, std::string> words{
      {"all-reduce", "float32 all-reduce"},
      {"fp16", "FP16 all-reduce"},
      {"topk-0.1", "top-k of 10 %"},
      {"topk-0.01", "top-k of 1 %"},
      {"masked", "masking with float32 values"},
      {"masked-fp16", "masking with FP16 values"},
      {"masked-ternary", "masking with ternary bytes"},
      {"masked-ternary-lanes", "masking with ternary lanes"},
      {"masked-ternary-all-to-all", "masking with ternary digits by all-to-all"},
      {"masked-ternary-auto", "masking with ternary digits, fastest way"},
      {"masked-levels", "masking with other levels"},
      {"ternary", "ternary bytes alone"},
      {"ternary-lanes", "ternary lanes alone"},
      {"ternary-all-to-all", "ternary digits by all-to-all alone"},
      {"unmasked", "pruned, not masked"}};
  const auto found = words.find(kind);
  return found == words.end() ? kind : found->second;
}

std::optional<double> pruning_ratio(const Json& method) {
  if (!method.contains("pruning_ratio")) return std::nullopt;
  return method.at("pruning_ratio").get<double>();
}

std::string arm_identity(Json method, bool any_ratio) {
  method.erase("label");
  if (any_ratio) method.erase("pruning_ratio");
  return method.dump();
}

}  // namespace pacbench::reproduce
