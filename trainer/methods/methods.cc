// The table of methods: one line for each.
#include <stdexcept>

#include "trainer/methods/method.h"
#include "trainer/methods/method_entries.h"
#include "trainer/methods/with_defaults.h"

namespace pacbench::trainer {

Task<> Method::layout_settled(const Layout&, Group&) { co_return; }

std::vector<PlannedCollective> Method::expected_iteration_traffic(const Layout&) const {
  return {};
}

void Method::visit_state(StateVisitor&) {}

Task<> Method::iteration_finished(Group&) { co_return; }

Task<bool> Method::optimizer_step(OptimizerView&, Group&) { co_return false; }

const std::vector<MethodEntryPoint>& method_table() {
  static const std::vector<MethodEntryPoint> table{
      all_reduce_method(), fp16_method(),     bf16_method(),
      topk_method(),       pactrain_method(), terngrad_method(),
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

std::unique_ptr<Method> make_method(const Choice& choice, const LinkFacts& link) {
  return entry_of(choice.name).make(choice.options, link);
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

}  // namespace pacbench::trainer
