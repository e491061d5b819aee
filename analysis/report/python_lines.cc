#include "analysis/report/python_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "analysis/report/headline.h"

namespace pacbench::report {
namespace {

std::string python_value(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) return fmt::format("\"{}\"", value.get<std::string>());
  return value.dump();
}

/// A call in the making: NAME(model, first=…, second=…).
class Call {
 public:
  explicit Call(std::string name) : name_{std::move(name)} {}

  Call& model() {
    words_.emplace_back("model");
    return *this;
  }
  /// `value` as Python says it.
  Call& set(const std::string& name, const std::string& value) {
    words_.push_back(name + "=" + value);
    return *this;
  }
  /// An option of the method under the hook's name for it.
  Call& take(const Json& method, const char* option, const char* name = nullptr) {
    if (!method.contains(option)) return *this;
    return set(name == nullptr ? option : name, python_value(method.at(option)));
  }
  std::string text() const { return fmt::format("hooks.{}({})", name_, fmt::join(words_, ", ")); }

 private:
  std::string name_;
  std::vector<std::string> words_;
};

std::string registered(const Call& state, const char* hook) {
  return fmt::format(
      "    from pacbench import hooks\n"
      "    state = {}\n"
      "    model.register_comm_hook(state, hooks.{})\n",
      state.text(), hook);
}

bool is(const Json& method, const char* option, const Json& value) {
  return method.value(option, value) == value;
}

/// Digits have no error feedback in the hooks. How they travel changes no bit of their sum.
std::optional<std::string> terngrad_lines(const Json& method) {
  if (!is(method, "error_feedback", false)) return std::nullopt;
  Call state{"TernGrad"};
  state.model().take(method, "quantize").take(method, "scale").take(method, "scale_from");
  return registered(state, "terngrad");
}

std::optional<std::string> pactrain_lines(const Json& method) {
  const bool is_known = method.value("score", "") != "grasp" &&
                        is(method, "mask_source", "weights") &&
                        is(method, "gradient_masking", true) && is(method, "prune_steps", 1) &&
                        is(method, "error_feedback", false) && is(method, "normalize", "none") &&
                        is(method, "per_layer", false);
  if (!is_known) return std::nullopt;
  Call state{"PacTrain"};
  state.model().take(method, "pruning_ratio", "ratio").take(method, "score");
  const auto quantize = method.value("quantize", "");
  if (quantize == "none") return registered(state.set("quantize", "None"), "pactrain");
  state.take(method, "quantize");
  if (quantize != "fp16") state.take(method, "scale").take(method, "scale_from");
  return registered(state, "pactrain");
}

}  // namespace

std::optional<std::string> python_lines(const Json& method) {
  const auto name = method.value("name", "");
  if (name == "fp16") return registered(Call{"Fp16"}.take(method, "sum"), "fp16");
  if (name == "topk") {
    return registered(Call{"TopK"}.take(method, "ratio").take(method, "error_feedback"), "topk");
  }
  if (name == "powersgd") {
    Call state{"powersgd_state"};
    state.take(method, "rank").take(method, "dense_iterations").take(method, "error_feedback");
    return registered(state, "powersgd");
  }
  if (name == "terngrad") return terngrad_lines(method);
  if (name == "pactrain") return pactrain_lines(method);
  return std::nullopt;
}

std::string python_lines_of_fastest(const Report& report) {
  std::set<std::string> told;
  std::string text;
  for (const auto& section : report.sections) {
    for (const auto& link : section.links) {
      const auto headline = headline_of(section, link);
      if (!headline || !told.insert(headline->first).second) continue;
      for (const auto& method : section.scenario.at("methods")) {
        if (method.at("label") != headline->first) continue;
        const auto lines = python_lines(method);
        if (!lines) continue;
        text += fmt::format("\n{} in PyTorch's DistributedDataParallel (docs/OWN_PROGRAM.md):\n{}",
                            headline->first, *lines);
      }
    }
  }
  return text;
}

}  // namespace pacbench::report
