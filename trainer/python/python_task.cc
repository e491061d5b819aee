#include "trainer/python/adapters.h"

#include <pybind11/stl.h>

#include <optional>
#include <tuple>

#include "base/errors.h"

namespace pacbench::trainer::python {
namespace {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

class PythonOptimizer final : public WeightOptimizer {
 public:
  PythonOptimizer(Held adapter, std::vector<at::Tensor> parameters)
      : WeightOptimizer{std::move(parameters), {}}, adapter_{std::move(adapter)} {}

  void step(double lr) override {
    in_python([&] { (*adapter_).attr("step")(lr); });
  }

  void forget_pruned(std::size_t parameter, const at::Tensor& kept) override {
    in_python([&] { (*adapter_).attr("forget_pruned")(parameter, kept); });
  }

 private:
  Held adapter_;
};

class PythonTask final : public LearningTask {
 public:
  explicit PythonTask(const py::object& adapter) : adapter_{adapter} {
    using Described = std::tuple<std::string, at::Tensor, bool, bool>;
    for (auto& [name, tensor, prunable, embedding] :
         adapter.attr("parameters")().cast<std::vector<Described>>()) {
      parameters_.push_back({name, tensor, prunable, embedding});
    }
    for (auto& [name, tensor] : adapter.attr("buffers")().cast<NamedTensors>()) {
      buffers_.push_back({name, tensor});
    }
    shares_buffers_ = adapter.attr("shares_buffers")().cast<bool>();
  }

  const std::vector<Parameter>& parameters() const override { return parameters_; }
  std::vector<Buffer> buffers() const override { return buffers_; }
  bool shares_buffers() const override { return shares_buffers_; }

  Batch batch(const BatchPosition& position) const override {
    return in_python([&] {
      const Held batch{(*adapter_).attr("batch")(position.iteration, position.rank,
                                                 position.workers, position.batch_per_worker)};
      return Batch{{}, {}, batch.shared()};
    });
  }

  at::Tensor loss(const Batch& batch) override {
    return in_python([&] {
      const auto& object = *std::static_pointer_cast<py::object>(batch.of_user);
      return (*adapter_).attr("loss")(object).cast<at::Tensor>();
    });
  }

  std::unique_ptr<WeightOptimizer> optimizer(const Optimizer& options) override {
    if (options.name != kOwnOptimizer) return LearningTask::optimizer(options);
    return std::make_unique<PythonOptimizer>(adapter_, tensors_of(parameters_));
  }

  void clip_gradients() override {
    in_python([&] { (*adapter_).attr("clip_gradients")(); });
  }

  void visit_state(StateVisitor& visitor) override {
    in_python([&] { visit_python(visitor, "task", *adapter_); });
  }

  std::int64_t evaluated_samples() const override {
    return in_python([&] { return (*adapter_).attr("evaluated_samples")().cast<std::int64_t>(); });
  }

  Evaluation evaluate(std::int64_t first, std::int64_t count) override {
    return in_python([&] {
      using Sums = std::tuple<std::int64_t, std::optional<std::int64_t>, double>;
      const auto [samples, correct, loss] = (*adapter_).attr("evaluate")(first, count).cast<Sums>();
      return Evaluation{samples, correct.value_or(0), loss, correct.has_value()};
    });
  }

  Importances importances(const PruningPlan& plan, std::int64_t seed) override {
    if (plan.score == "magnitude") return magnitude_importances(parameters_);
    if (plan.score == "random") return random_importances(parameters_, seed);
    throw ConfigError{"worker specification",
                      {{"/method/score", "found \"" + plan.score +
                                             "\" beside a task of your own, expected magnitude or "
                                             "random"}}};
  }

 private:
  Held adapter_;
  std::vector<Parameter> parameters_;
  std::vector<Buffer> buffers_;
  bool shares_buffers_ = false;
};

}  // namespace

std::unique_ptr<LearningTask> python_task(const py::object& adapter) {
  return std::make_unique<PythonTask>(adapter);
}

}  // namespace pacbench::trainer::python
