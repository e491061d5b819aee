#include "trainer/python/python_method.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trainer/python/coroutine.h"
#include "trainer/python/python_averager.h"

namespace pacbench::trainer::python {
namespace {

/// A pacbench.Method. Evaluated are the weights as they were when all ranks last held the same.
class PythonMethod final : public Method {
 public:
  PythonMethod(const py::object& adapter, const RunFacts& run, std::optional<PruningPlan> pruning)
      : Method{python_averager(adapter, run), std::move(pruning)},
        adapter_{adapter},
        period_{adapter.attr("period")().cast<std::int64_t>()} {}

  const std::vector<at::Tensor>* consensus() const override { return &shared_; }
  bool leaves_mean() const override { return false; }
  bool declares_weights_after() const override { return true; }

  Recording recording() const override {
    auto recording = Method::recording();
    recording.period = period_;
    return recording;
  }

  void begin(const std::vector<at::Tensor>& weights) override {
    for (const auto& weight : weights) shared_.push_back(weight.detach().clone());
  }

  Task<> settle(const Layout& layout, Group& group) override {
    co_await Method::settle(layout, group);
    std::size_t parameters = 0;
    for (const auto& bucket : layout) parameters += bucket.slices.size();
    std::vector<std::string> names(parameters);
    for (const auto& bucket : layout) {
      for (const auto& slice : bucket.slices) {
        names.at(static_cast<std::size_t>(slice.parameter)) = slice.name;
      }
    }
    in_python([&] { (*adapter_).attr("take_names")(names); });
  }

  std::vector<PlannedCollective> weights_traffic(const Layout&, const Step&) const override {
    return calls_;
  }

  Task<> step_finished(OptimizerView& view, Group& group) override {
    calls_.clear();
    std::vector<at::Tensor> weights;
    for (const auto& weight : view.parameters) weights.push_back(weight.detach());
    const auto coroutine = in_python([&] {
      return Held{(*adapter_).attr("begin_after_step")(weights, view.step.number, view.step.lr)};
    });
    auto stop = go_on(adapter_, coroutine, std::nullopt);
    while (!stop.ended()) {
      calls_.push_back(plan_of(*stop.call, group.rank()));
      auto pending = issue(*stop.call, group);
      const auto answer = co_await pending;
      stop = go_on(adapter_, coroutine, answer);
    }
    const bool all_hold_the_same = stop.values.item<bool>();
    if (!all_hold_the_same) co_return;
    for (std::size_t i = 0; i < shared_.size(); ++i) shared_[i].copy_(weights[i]);
  }

  void visit_state(StateVisitor& visitor) override {
    Method::visit_state(visitor);
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      visitor.tensor("shared/" + std::to_string(i), shared_[i]);
    }
  }

 private:
  Held adapter_;
  std::int64_t period_;
  std::vector<at::Tensor> shared_;        ///< by parameter
  std::vector<PlannedCollective> calls_;  ///< after the last step
};

std::optional<PruningPlan> pruning_of(const py::object& adapter) {
  const auto asked =
      adapter.attr("pruning")().cast<std::optional<std::tuple<double, std::string>>>();
  if (!asked) return std::nullopt;
  PruningPlan plan;
  std::tie(plan.ratio, plan.score) = *asked;
  return plan;
}

}  // namespace

std::unique_ptr<Method> python_method(const py::object& adapter, const RunFacts& run) {
  if (adapter.attr("changes_weights")().cast<bool>()) {
    return std::make_unique<PythonMethod>(adapter, run, pruning_of(adapter));
  }
  return std::make_unique<Method>(python_averager(adapter, run), pruning_of(adapter));
}

}  // namespace pacbench::trainer::python
