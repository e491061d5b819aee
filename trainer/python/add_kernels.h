#pragma once

#include "trainer/python/held.h"

namespace pacbench::trainer::python {

/// Adds the kernels that methods in Python encode with (python/pacbench/kernels.py).
void add_kernels(py::module_& module);

}  // namespace pacbench::trainer::python
