// The module _pacbench_trainer: the trainer of pacbench-worker, for a process that Python started
// (python/pacbench/worker.py). It runs tasks and averagers that users wrote in Python, and in
// users' own programs methods as hooks of DistributedDataParallel (python/pacbench/ddp.py).
#include <ATen/Functions.h>
#include <pybind11/stl.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "contract/worker/worker_spec.h"
#include "trainer/collectives/own_core.h"
#include "trainer/encoding/sparse_code.h"
#include "trainer/kernels/kernels.h"
#include "trainer/kernels/largest.h"
#include "trainer/methods/users_code.h"
#include "trainer/python/adapters.h"
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

/// Throws std::invalid_argument, which Python sees as ValueError.
void require(bool holds, const char* expected) {
  if (!holds) throw std::invalid_argument{std::string{"expected "} + expected};
}

bool is_flat(const at::Tensor& tensor, at::ScalarType type) {
  return tensor.scalar_type() == type && tensor.dim() == 1 && tensor.is_contiguous() &&
         tensor.is_cpu();
}

at::Tensor checked_largest(const at::Tensor& values, std::int64_t count) {
  require(is_flat(values, at::kFloat), "a flat contiguous float32 tensor on the CPU");
  require(count >= 1 && count <= values.numel(), "a count of 1 to as many as there are values");
  return largest(values, count);
}

/// A SparseCode that trusts nobody.
class CheckedSparseCode {
 public:
  CheckedSparseCode(std::int64_t elements, std::int64_t kept)
      : elements_{elements}, code_{elements, checked(elements, kept)} {}

  at::Tensor encode(const at::Tensor& values, const at::Tensor& places) const {
    require(is_flat(values, at::kFloat) && values.numel() == code_.kept(), "float32[kept]");
    require(is_flat(places, at::kLong) && places.numel() == code_.kept(), "int64[kept] for places");
    require_places(places);
    return code_.encode(values, places);
  }

  void add(const at::Tensor& payload, const at::Tensor& sum) const {
    require(is_flat(payload, at::kInt) && payload.numel() == code_.words(),
            "a payload that encode() of the same code gave");
    require(is_flat(sum, at::kFloat) && sum.numel() == elements_, "float32[elements] to add to");
    const auto places = code_.places_in(payload);
    require_places(places);
    sum.index_add_(0, places, code_.values_in(payload));
  }

 private:
  static std::int64_t checked(std::int64_t elements, std::int64_t kept) {
    require(kept >= 1 && kept <= elements, "kept entries from 1 to all elements");
    return kept;
  }

  void require_places(const at::Tensor& places) const {
    const auto* place = places.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < places.numel(); ++i) {
      require(place[i] >= 0 && place[i] < elements_ && (i == 0 || place[i] > place[i - 1]),
              "places that ascend, each from 0 to elements - 1");
    }
  }

  std::int64_t elements_;
  SparseCode code_;
};

/// A parameter's place in a bucket: its number in the model, its first element and how many it has.
using Part = std::tuple<int, std::int64_t, std::int64_t>;

/// A parameter's part of `values`, in a bucket's layout.
at::Tensor part_of(const at::Tensor& values, const Part& part) {
  const auto [parameter, offset, elements] = part;
  require(offset >= 0 && elements >= 0 && offset + elements <= values.numel(),
          "as many values as the bucket has elements");
  return values.narrow(0, offset, elements);
}

at::Tensor peaks(const at::Tensor& values, const std::vector<Part>& parts) {
  require(is_flat(values, at::kFloat), "a flat contiguous float32 tensor on the CPU");
  std::vector<float> largest;
  for (const auto& part : parts) {
    largest.push_back(moments(part_of(values, part), keep_all(std::get<2>(part))).largest);
  }
  return at::tensor(largest);
}

at::Tensor quantised(const at::Tensor& values, const std::vector<Part>& parts,
                     const std::vector<double>& scales, int levels, RandomKey key) {
  require(is_flat(values, at::kFloat), "a flat contiguous float32 tensor on the CPU");
  require(scales.size() == parts.size(), "a scale for each parameter");
  auto digits = at::empty({values.numel()}, values.options().dtype(at::kChar));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    key.parameter = std::get<0>(parts[i]);
    const double levels_per_unit = scales[i] > 0 ? levels / scales[i] : 0;
    quantise(part_of(values, parts[i]), keep_all(std::get<2>(parts[i])),
             static_cast<float>(levels_per_unit), levels, key, part_of(digits, parts[i]));
  }
  return digits;
}

void dequantise(const at::Tensor& levels, const std::vector<Part>& parts,
                const std::vector<float>& units, const at::Tensor& values) {
  require(is_flat(levels, at::kShort) && is_flat(values, at::kFloat),
          "flat contiguous int16 sums, and float32 values, on the CPU");
  require(units.size() == parts.size(), "a unit for each parameter");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    scatter_levels(part_of(levels, parts[i]), keep_all(std::get<2>(parts[i])), units[i],
                   part_of(values, parts[i]));
  }
}

at::Tensor packed(const at::Tensor& digits, int offset, int bits) {
  const auto layout = LaneLayout::of(bits);
  auto words = at::empty({layout.words(digits.numel())},
                         digits.options().dtype(layout.word_bytes == 1 ? at::kByte : at::kLong));
  pack(digits, offset, layout, words);
  return words;
}

at::Tensor unpacked_sums(const at::Tensor& words, const at::Tensor& own_words,
                         const at::Tensor& own_digits, int offset, int ranks, int bits) {
  auto sums = at::empty({own_digits.numel()}, own_digits.options().dtype(at::kShort));
  unpack_sums(words, own_words, own_digits, offset, ranks, LaneLayout::of(bits), sums);
  return sums;
}

/// Adds the kernels that methods in Python encode with (python/pacbench/kernels.py).
void add_kernels(py::module_& module) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  module.def("largest", &checked_largest, Unlocked{});
  module.def("peaks", &peaks, Unlocked{});
  module.def(
      "quantise",
      [](const at::Tensor& values, const std::vector<Part>& parts,
         const std::vector<double>& scales, int levels, std::int64_t seed, int rank,
         std::int64_t step) {
        return quantised(values, parts, scales, levels,
                         {.seed = seed, .rank = rank, .iteration = step});
      },
      Unlocked{});
  module.def("dequantise", &dequantise, Unlocked{});
  module.def("bits_for", &bits_for);
  module.def("pack", &packed, Unlocked{});
  module.def("unpack_sums", &unpacked_sums, Unlocked{});
  py::class_<CheckedSparseCode>(module, "SparseCode")
      .def(py::init<std::int64_t, std::int64_t>())
      .def("encode", &CheckedSparseCode::encode, Unlocked{})
      .def("add", &CheckedSparseCode::add, Unlocked{});
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
