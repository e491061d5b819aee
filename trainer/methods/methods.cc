// The table of methods: one line for each.
#include <stdexcept>

#include "trainer/methods/method.h"
#include "trainer/methods/method_entries.h"
#include "trainer/methods/option_specs.h"
#include "trainer/methods/with_defaults.h"

namespace pacbench::trainer {

Task<> Method::settle(const Layout& layout, Group& group) {
  return gradients_->settle(layout, group);
}

void Method::begin(const std::vector<at::Tensor>&) {}

Task<bool> Method::optimizer_step(OptimizerView&, Group&) { co_return false; }

std::vector<PlannedCollective> Method::step_traffic(const Layout&, const Step&) const { return {}; }

Task<> Method::step_finished(OptimizerView&, Group&) { co_return; }

std::vector<PlannedCollective> Method::weights_traffic(const Layout&, const Step&) const {
  return {};
}

std::unique_ptr<Averager> with_feedback(const Json& options, std::unique_ptr<Averager> averager,
                                        Feedback::Of of) {
  if (!options.value(option::kErrorFeedback, false)) return averager;
  return std::make_unique<Feedback>(std::move(averager), of);
}

MethodEntryPoint averaging(MethodInfo info,
                           std::unique_ptr<Averager> (*make)(const Json& options,
                                                             const RunFacts& run),
                           Feedback::Of feedback) {
  return {std::move(info), [make, feedback](const Json& options, const RunFacts& run) {
            return std::make_unique<Method>(with_feedback(options, make(options, run), feedback));
          }};
}

namespace {

class WithItsOwnMomentum final : public Method {
 public:
  using Method::Method;
  bool has_own_momentum() const override { return true; }
};

}  // namespace

MethodEntryPoint averaging_momentum(MethodInfo info,
                                    std::unique_ptr<Averager> (*make)(const Json& options,
                                                                      const RunFacts& run)) {
  return {std::move(info), [make](const Json& options, const RunFacts& run) {
            return std::make_unique<WithItsOwnMomentum>(make(options, run));
          }};
}

const std::vector<MethodEntryPoint>& method_table() {
  static const std::vector<MethodEntryPoint> table{
      all_reduce_method(),
      tree_method(),
      hierarchical_method(),
      parameter_server_method(),
      fp16_method(),
      bf16_method(),
      terngrad_method(),
      qsgd_method(),
      thc_method(),
      signsgd_method(),
      ef_signsgd_method(),
      topk_method(),
      random_k_method(),
      dgc_method(),
      omnireduce_method(),
      zen_method(),
      embrace_method(),
      spardl_method(),
      micro_method(),
      exdyna_method(),
      ef21_method(),
      adacgd_method(),
      one_bit_adam_method(),
      distributed_lion_method(),
      powersgd_method(),
      pactrain_method(),
      prune_and_regrow_method(),
      local_sgd_method(),
      diloco_method(),
      zeroth_order_method(),
      prunex_method(),
  };
  return table;
}

namespace {

const MethodEntryPoint& entry_of(const std::string& name) {
  for (const auto& entry : method_table()) {
    if (entry.info.name == name) return entry;
  }
  throw std::invalid_argument{"unknown method " + name};
}

}  // namespace

std::unique_ptr<Method> make_method(const Choice& choice, const RunFacts& run) {
  return entry_of(choice.name).make(choice.options, run);
}

Choice with_defaults(const std::string& method, const Json& options) {
  Choice choice{method, options};
  for (const auto& option : entry_of(method).info.options) {
    if (!choice.options.contains(option.name) && !option.default_value.is_null()) {
      choice.options[option.name] = option.default_value;
    }
  }
  return choice;
}

Choice with_preset(const std::string& method, const std::string& preset, const Json& options) {
  for (const auto& [name, help, preset_options] : entry_of(method).info.presets) {
    if (name != preset) continue;
    auto given = preset_options;
    given.update(options);
    return with_defaults(method, given);
  }
  throw std::invalid_argument{"unknown preset " + preset + " of " + method};
}

}  // namespace pacbench::trainer
