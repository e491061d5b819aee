#pragma once

#include <memory>

#include "trainer/methods/method.h"
#include "trainer/python/held.h"

namespace pacbench::trainer::python {

/// A user's method from the adapter of its class: a pacbench.Averager, or a pacbench.Method, which
/// also changes the weights after each step. Call it with the interpreter's lock held.
std::unique_ptr<Method> python_method(const py::object& adapter, const RunFacts& run);

}  // namespace pacbench::trainer::python
