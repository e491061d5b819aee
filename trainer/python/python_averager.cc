#include "trainer/python/adapters.h"

#include <ATen/Functions.h>
#include <pybind11/stl.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/python_name.h"
#include "trainer/collectives/group.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer::python {
namespace {

/// Where a coroutine of a user's class stops: at a collective, at an average by a method inside, or
/// at its end with a result.
struct Stop {
  std::optional<Collective> call;
  std::optional<std::size_t> inner;  ///< the number of the method inside
  bool keeps_rest = false;           ///< of the method inside
  at::Tensor values;                 ///< for the method inside; or the result

  bool ended() const { return !call && !inner; }
};

Stop stop_of(const py::object& step) {
  auto [op, tensor, send_counts, receive_counts, root] =
      step.cast<std::tuple<std::string, at::Tensor, std::vector<std::int64_t>,
                           std::vector<std::int64_t>, int>>();
  if (op.empty()) return {std::nullopt, std::nullopt, false, tensor};
  if (op.starts_with("average")) {
    return {std::nullopt, static_cast<std::size_t>(root), op != "average", tensor};
  }
  Collective call;
  if (op == "all_reduce_max") {
    op = "all_reduce";
    call.reduction = Reduction::kMax;
  }
  call.kind = kind_named(op);
  call.input = tensor;
  call.send_counts = std::move(send_counts);
  call.receive_counts = std::move(receive_counts);
  call.root = root;
  return {call, std::nullopt, false, {}};
}

/// Runs a coroutine of `adapter` up to its next stop. `answer` is that of its last one.
Stop go_on(const Held& adapter, const Held& coroutine, const std::optional<at::Tensor>& answer) {
  return in_python([&] { return stop_of((*adapter).attr("go_on")(*coroutine, answer)); });
}

/// Carries out the collective of a stop. Throws std::logic_error for one that Python cannot name.
PendingCollective issue(const Collective& call, Group& group) {
  switch (call.kind) {
    case CollectiveKind::kAllReduce:
      return group.all_reduce(call.input, call.reduction);
    case CollectiveKind::kAllGather:
      return group.all_gather(call.input);
    case CollectiveKind::kAllToAll:
      return group.all_to_all(call.input, call.send_counts, call.receive_counts);
    case CollectiveKind::kBroadcast:
      return group.broadcast(call.input, call.root);
    default:
      throw std::logic_error{std::string{"a coroutine in Python cannot call "} +
                             name_of(call.kind)};
  }
}

/// The averagers of the methods inside of `adapter`'s.
std::vector<std::unique_ptr<Averager>> inner_of(const py::object& adapter, const RunFacts& run) {
  std::vector<std::unique_ptr<Averager>> inner;
  for (const auto& text : adapter.attr("inner")().cast<std::vector<std::string>>()) {
    auto choice = choice_from_canonical_json(parse_json("method", text));
    if (!is_users_class(choice.name)) choice = with_defaults(choice.name, choice.options);
    inner.push_back(make_averager(choice, run));
  }
  return inner;
}

/// Drives coroutines in Python: runs each up to its next collective on the rank's executor, and
/// carries the collective out by the group, so that it is ordered, counted and timed as those of
/// methods in C++. The bytes that it declares are those of the calls that it made.
class PythonAverager final : public PlacedAverager {
 public:
  PythonAverager(const py::object& adapter, const RunFacts& run)
      : adapter_{adapter}, inner_{inner_of(adapter, run)} {}

  Task<> settle(const Layout& layout, Group& group) override {
    co_await PlacedAverager::settle(layout, group);
    for (auto& inner : inner_) co_await inner->settle(layout, group);
    in_python([&] {
      py::list buckets;
      for (const auto& bucket : layout) {
        py::list slices;
        for (const auto& slice : bucket.slices) {
          const auto kept = slice.mask.defined() ? py::cast(slice.mask) : py::none{};
          slices.append(py::make_tuple(slice.name, slice.shape, slice.offset, slice.elements,
                                       slice.parameter, kept));
        }
        buckets.append(py::make_tuple(bucket.index, bucket.elements, slices));
      }
      (*adapter_).attr("settle")(buckets, rank_, ranks_);
    });
  }

  Declares declares() const override { return Declares::kAfter; }

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    return calls_.at(bucket.index);
  }

  /// Throws std::invalid_argument inside of error feedback: what a class leaves out, it keeps.
  Task<> average(Bucket& bucket, Group& group) override {
    if (bucket.keeps_rest) {
      throw std::invalid_argument{
          "a class in Python keeps what it leaves out itself, so it cannot be inside of a method "
          "with error feedback; use that method without it"};
    }
    auto& calls = calls_[bucket.layout.index];
    calls.clear();
    const auto coroutine = in_python([&] {
      return Held{(*adapter_).attr("begin")(bucket.layout.index, bucket.own, bucket.step.number,
                                            bucket.step.lr)};
    });
    auto stop = go_on(adapter_, coroutine, std::nullopt);
    while (!stop.ended()) {
      at::Tensor answer;
      if (stop.call) {
        calls.push_back(plan_of(*stop.call, group.rank()));
        auto pending = issue(*stop.call, group);
        answer = co_await pending;
      } else {
        auto& inner = *inner_.at(*stop.inner);
        auto part = bucket;
        part.own = stop.values;
        part.mean = stop.keeps_rest ? at::empty_like(stop.values) : stop.values;
        part.keeps_rest = stop.keeps_rest;
        const auto declare = [&] {
          const auto called = inner.traffic(bucket.layout, bucket.step);
          calls.insert(calls.end(), called.begin(), called.end());
        };
        const bool before = inner.declares() == Declares::kBefore;
        if (before) declare();
        co_await inner.average(part, group);
        if (!before) declare();
        answer = stop.keeps_rest ? at::stack({part.mean, part.own}) : part.mean;
      }
      stop = go_on(adapter_, coroutine, answer);
    }
    if (stop.values.data_ptr() != bucket.mean.data_ptr()) bucket.mean.copy_(stop.values);
  }

  Task<> finish_iteration(Group& group) override {
    for (auto& inner : inner_) co_await inner->finish_iteration(group);
  }

  std::vector<PlannedCollective> finish_traffic() const override {
    std::vector<PlannedCollective> calls;
    for (const auto& inner : inner_) {
      const auto called = inner->finish_traffic();
      calls.insert(calls.end(), called.begin(), called.end());
    }
    return calls;
  }

  void visit_state(StateVisitor& visitor) override {
    in_python([&] { visit_python(visitor, "averager", *adapter_); });
    for (std::size_t number = 0; number < inner_.size(); ++number) {
      PrefixedVisitor own{"inner" + std::to_string(number) + "/", visitor};
      inner_[number]->visit_state(own);
    }
  }

 private:
  Held adapter_;
  std::vector<std::unique_ptr<Averager>> inner_;
  std::map<int, std::vector<PlannedCollective>> calls_;  ///< of each bucket, in this iteration
};

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

std::unique_ptr<Averager> python_averager(const py::object& adapter, const RunFacts& run) {
  return std::make_unique<PythonAverager>(adapter, run);
}

std::unique_ptr<Method> python_method(const py::object& adapter, const RunFacts& run) {
  if (adapter.attr("changes_weights")().cast<bool>()) {
    return std::make_unique<PythonMethod>(adapter, run, pruning_of(adapter));
  }
  return std::make_unique<Method>(python_averager(adapter, run), pruning_of(adapter));
}

}  // namespace pacbench::trainer::python
