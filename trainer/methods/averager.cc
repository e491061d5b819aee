#include "trainer/methods/averager.h"

namespace pacbench::trainer {

Task<> Averager::settle(const Layout&, Group&) { co_return; }

Task<> Averager::finish_iteration(Group&) { co_return; }

void Averager::visit_state(StateVisitor&) {}

}  // namespace pacbench::trainer
