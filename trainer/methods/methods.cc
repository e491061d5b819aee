// The table of methods: one line for each.
#include <stdexcept>

#include "trainer/methods/method.h"
#include "trainer/methods/method_entries.h"

namespace pacbench {

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

std::unique_ptr<Method> make_method(const Choice& choice, const LinkFacts& link) {
  for (const auto& entry : method_table()) {
    if (entry.info.name == choice.name) return entry.make(choice.options, link);
  }
  throw std::invalid_argument{"unknown method " + choice.name};
}

}  // namespace pacbench
