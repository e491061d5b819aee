#pragma once

#include "trainer/python/held.h"

namespace pacbench::trainer::python {

/// Adds the class DdpExchanges to the module: a method that averages the buckets of a user's
/// DistributedDataParallel (python/pacbench/ddp.py).
void add_ddp_exchanges(py::module_& module);

}  // namespace pacbench::trainer::python
