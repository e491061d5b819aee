#pragma once

#include "trainer/python/held.h"
#include "trainer/rank/learning_task.h"

namespace pacbench::trainer::python {

/// The task that `adapter` stands for, a TaskAdapter of python/pacbench/task_adapter.py. Call it
/// with the interpreter's lock held; throws what Python throws.
std::unique_ptr<LearningTask> python_task(const py::object& adapter);

}  // namespace pacbench::trainer::python
