#pragma once

#include <torch/csrc/utils/pybind.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

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

/// Calls `body` with the interpreter's lock held. An exception in Python becomes a
/// std::runtime_error that begins with the user's file and line.
template <typename Body>
auto in_python(const Body& body) {
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

}  // namespace pacbench::trainer::python
