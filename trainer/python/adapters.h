#pragma once

#include <torch/csrc/utils/pybind.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "trainer/methods/method.h"
#include "trainer/rank/replica.h"

namespace pacbench::trainer::python {

namespace py = pybind11;

/// A Python object that a thread may copy and drop without holding the interpreter's lock.
class Held {
 public:
  explicit Held(py::object object)
      : object_{new py::object{std::move(object)}, [](py::object* one) {
                  const py::gil_scoped_acquire lock;
                  delete one;
                }} {}

  /// Call it with the lock held.
  const py::object& operator*() const { return *object_; }
  std::shared_ptr<py::object> shared() const { return object_; }

 private:
  std::shared_ptr<py::object> object_;
};

/// Keeps the interpreter's state of the calling thread until the process ends. Python would make
/// one anew at each call, which maps memory.
inline void keep_thread_state() {
  thread_local bool is_kept = false;
  if (is_kept || PyGILState_Check() == 1) return;
  PyGILState_Ensure();
  PyEval_SaveThread();
  is_kept = true;
}

/// Calls `body` with the interpreter's lock held. An exception in Python becomes a
/// std::runtime_error that begins with the user's file and line.
template <typename Body>
auto in_python(const Body& body) {
  keep_thread_state();
  const py::gil_scoped_acquire lock;
  std::string words;
  try {
    return body();
  } catch (const py::error_already_set& error) {
    words = py::module_::import("pacbench.users_code")
                .attr("words_of")(error.value())
                .cast<std::string>();
  }
  throw std::runtime_error{words};
}

// What the module makes of a user's adapters (python/pacbench). Call these functions with the
// interpreter's lock held; they throw what Python throws.

/// The task that `adapter` stands for, a TaskAdapter of python/pacbench/task_adapter.py.
std::unique_ptr<LearningTask> python_task(const py::object& adapter);

/// The averager that `adapter` stands for, an AveragerAdapter of
/// python/pacbench/averager_adapter.py.
std::unique_ptr<Averager> python_averager(const py::object& adapter, const RunFacts& run);

/// A user's method from the adapter of its class: a pacbench.Averager, or a pacbench.Method, which
/// also changes the weights after each step.
std::unique_ptr<Method> python_method(const py::object& adapter, const RunFacts& run);

/// Visits what an adapter remembers from one iteration to the next: bytes that its state() gives
/// and its take_state() takes.
inline void visit_python(StateVisitor& visitor, const std::string& name,
                         const py::object& adapter) {
  const auto own = adapter.attr("state")().cast<at::Tensor>();
  auto value = own;
  visitor.tensor(name, value);
  if (value.defined() && value.data_ptr() != own.data_ptr()) adapter.attr("take_state")(value);
}

/// Adds the class DdpExchanges to the module: a method that averages the buckets of a user's
/// DistributedDataParallel (python/pacbench/ddp.py).
void add_ddp_exchanges(py::module_& module);

}  // namespace pacbench::trainer::python
