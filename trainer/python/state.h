#pragma once

#include <string>

#include "trainer/averaging/state_visitor.h"
#include "trainer/python/held.h"

namespace pacbench::trainer::python {

/// Visits what an adapter remembers from one iteration to the next: bytes that its state() gives
/// and its take_state() takes. Call it with the interpreter's lock held.
inline void visit_python(StateVisitor& visitor, const std::string& name,
                         const py::object& adapter) {
  const auto own = adapter.attr("state")().cast<at::Tensor>();
  auto value = own;
  visitor.tensor(name, value);
  if (value.defined() && value.data_ptr() != own.data_ptr()) adapter.attr("take_state")(value);
}

}  // namespace pacbench::trainer::python
