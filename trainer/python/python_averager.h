#pragma once

#include "trainer/averaging/averager.h"
#include "trainer/averaging/run_facts.h"
#include "trainer/python/held.h"

namespace pacbench::trainer::python {

/// The averager that `adapter` stands for, an AveragerAdapter of
/// python/pacbench/averager_adapter.py. Call it with the interpreter's lock held.
std::unique_ptr<Averager> python_averager(const py::object& adapter, const RunFacts& run);

}  // namespace pacbench::trainer::python
