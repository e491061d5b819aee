#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "analysis/report/headline.h"
#include "analysis/report/section_contents.h"

namespace pacbench::report {
namespace {

std::string python_value(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) return fmt::format("\"{}\"", value.get<std::string>());
  return value.dump();
}

/// Builds the text of a call: hooks.NAME(model, first=…, second=…).
class Call {
 public:
  explicit Call(std::string name) : name_{std::move(name)} {}

  Call& model() {
    words_.emplace_back("model");
    return *this;
  }
  /// Adds an argument; `value` is as Python writes it.
  Call& set(const std::string& name, const std::string& value) {
    words_.push_back(name + "=" + value);
    return *this;
  }
  /// Adds an option of the method as an argument, under the hook's name for that option.
  Call& take(const Json& method, const char* option, const char* name = nullptr) {
    if (!method.contains(option)) return *this;
    return set(name == nullptr ? option : name, python_value(method.at(option)));
  }
  std::string text() const { return fmt::format("hooks.{}({})", name_, fmt::join(words_, ", ")); }

 private:
  std::string name_;
  std::vector<std::string> words_;
};

/// The lines that register a hook with its state; `before` has the lines that the state needs.
std::string registered(const Call& state, const char* hook, const std::string& before = "") {
  return fmt::format(
      "    from pacbench import hooks\n{}"
      "    state = {}\n"
      "    model.register_comm_hook(state, hooks.{})\n",
      before, state.text(), hook);
}

bool is(const Json& method, const char* option, const Json& value) {
  return method.value(option, value) == value;
}

/// The lines for TernGrad. They leave out the option `encoding` (how digits travel), since it
/// changes no bit of the digits' sum.
std::string terngrad_lines(const Json& method) {
  Call state{"TernGrad"};
  state.model().take(method, "quantize").take(method, "scale").take(method, "scale_from");
  if (!is(method, "error_feedback", false)) state.take(method, "error_feedback");
  return registered(state, "terngrad");
}

/// The line that prunes, where the hook's state would prune in another way; else none.
std::string pruning_line(const Json& method) {
  const bool is_scored_by_batches = method.value("score", "") == "grasp";
  const bool is_plain = is(method, "normalize", "none") && is(method, "per_layer", false);
  if (is_plain && !is_scored_by_batches) return "";
  Call masks{"prune"};
  masks.model().take(method, "pruning_ratio", "ratio").take(method, "score");
  if (!is(method, "normalize", "none")) masks.take(method, "normalize");
  if (!is(method, "per_layer", false)) masks.take(method, "per_layer");
  if (!is_scored_by_batches) return fmt::format("    masks = {}\n", masks.text());
  masks.take(method, "temperature").set("batches", "batches");
  return fmt::format(
      "    # batches: {} of (inputs, labels), 25 samples of each class, the same on all ranks\n"
      "    masks = {}\n",
      method.value("score_batches", 1), masks.text());
}

std::optional<std::string> pactrain_lines(const Json& method) {
  const bool is_known = is(method, "gradient_masking", true) && is(method, "prune_steps", 1) &&
                        is(method, "hessian", "exact");
  if (!is_known) return std::nullopt;
  const auto pruning = pruning_line(method);
  Call state{"PacTrain"};
  state.model();
  if (pruning.empty()) {
    state.take(method, "pruning_ratio", "ratio").take(method, "score");
  } else {
    state.set("masks", "masks");
  }
  if (!is(method, "mask_source", "weights")) {
    state.take(method, "mask_source").take(method, "stable_after");
  }
  const auto quantize = method.value("quantize", "");
  if (quantize == "none") return registered(state.set("quantize", "None"), "pactrain", pruning);
  state.take(method, "quantize");
  if (quantize != "fp16") state.take(method, "scale").take(method, "scale_from");
  if (!is(method, "error_feedback", false)) state.take(method, "error_feedback");
  return registered(state, "pactrain", pruning);
}

/// The lines for PyTorch's own PowerSGD. It keeps tensors from one iteration to the next, and DDP
/// makes its buckets anew after the first, so it refuses fewer than two dense iterations.
std::optional<std::string> powersgd_lines(const Json& method) {
  if (method.value("dense_iterations", 2) < 2) return std::nullopt;
  Call state{"powersgd_state"};
  state.take(method, "rank").take(method, "dense_iterations").take(method, "error_feedback");
  return registered(state, "powersgd");
}

}  // namespace

std::optional<std::string> python_lines(const Json& method) {
  const auto name = method.value("name", "");
  if (name == "fp16") return registered(Call{"Fp16"}.take(method, "sum"), "fp16");
  if (name == "topk") {
    Call state{"TopK"};
    state.model().take(method, "ratio").take(method, "error_feedback");
    return registered(state, "topk");
  }
  if (name == "powersgd") return powersgd_lines(method);
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
