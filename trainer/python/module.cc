// The module _pacbench_trainer: the trainer of pacbench-worker, for a process that Python started
// (python/pacbench/worker.py). It runs tasks and averagers that users wrote in Python, and in
// users' own programs methods as hooks of DistributedDataParallel (python/pacbench/ddp.py).
#include "contract/worker/worker_spec.h"
#include "trainer/collectives/own_core.h"
#include "trainer/data/epoch_order.h"
#include "trainer/methods/users_code.h"
#include "trainer/python/add_kernels.h"
#include "trainer/python/ddp_exchanges.h"
#include "trainer/python/python_averager.h"
#include "trainer/python/python_method.h"
#include "trainer/python/python_task.h"
#include "trainer/roles/worker.h"

namespace pacbench::trainer::python {
namespace {

/// Runs the worker that the document `text` describes. `make` has the functions task(text) and
/// averager(folder, name, options, seed), which return adapters.
int run(const std::string& text, const py::object& make) {
  const auto document = parse_json("worker specification", text);
  const auto folder = document.value("python_folder", "");
  const auto seed = document.value("seed", std::int64_t{1});
  const Held makes{make};
  auto& code = UsersCode::of_this_process();
  code.task = [makes](const WorkerSpec& spec) {
    return in_python([&] { return python_task((*makes).attr("task")(to_json(spec).dump())); });
  };
  const auto adapter_of = [makes, folder, seed](const Choice& method) -> py::object {
    return (*makes).attr("averager")(folder, method.name, method.options.dump(), seed);
  };
  code.averager = [adapter_of](const Choice& method, const RunFacts& run) {
    return in_python([&] { return python_averager(adapter_of(method), run); });
  };
  code.method = [adapter_of](const Choice& method, const RunFacts& run) {
    return in_python([&] { return python_method(adapter_of(method), run); });
  };
  const py::gil_scoped_release unlocked;
  return run_worker(document);
}

}  // namespace

PYBIND11_MODULE(_pacbench_trainer, module) {
  module.def("run", &run);
  module.def("computed", [](std::int64_t ns) { OwnCore::of_this_thread().add_cost(ns); });
  add_ddp_exchanges(module);
  add_kernels(module);
  module.def("epoch_permutation", [](std::int64_t seed, std::int64_t epoch, std::int64_t samples) {
    return at::tensor(epoch_permutation(seed, epoch, samples));
  });
}

}  // namespace pacbench::trainer::python
