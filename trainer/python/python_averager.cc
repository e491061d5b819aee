#include "trainer/python/python_averager.h"

#include <pybind11/stl.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "trainer/collectives/names.h"
#include "trainer/python/state.h"

namespace pacbench::trainer::python {
namespace {

/// A coroutine in Python stops at a collective, or ends with the bucket's mean.
struct Stop {
  std::optional<Collective> call;
  at::Tensor mean;
};

Stop stop_of(const py::object& step) {
  auto [op, tensor, send_counts, receive_counts, root] =
      step.cast<std::tuple<std::string, at::Tensor, std::vector<std::int64_t>,
                           std::vector<std::int64_t>, int>>();
  if (op.empty()) return {std::nullopt, tensor};
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
  return {call, {}};
}

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

/// Drives coroutines in Python: runs each up to its next collective on the rank's executor, and
/// carries the collective out by the group, so that it is ordered, counted and timed as those of
/// methods in C++. The bytes that it declares are those of the calls that it made.
class PythonAverager final : public PlacedAverager {
 public:
  explicit PythonAverager(const py::object& adapter) : adapter_{adapter} {}

  Task<> settle(const Layout& layout, Group& group) override {
    co_await PlacedAverager::settle(layout, group);
    in_python([&] {
      py::list buckets;
      for (const auto& bucket : layout) {
        py::list slices;
        for (const auto& slice : bucket.slices) {
          slices.append(py::make_tuple(slice.name, slice.shape, slice.offset, slice.elements));
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

  Task<> average(Bucket& bucket, Group& group) override {
    auto& calls = calls_[bucket.layout.index];
    calls.clear();
    const auto coroutine = in_python([&] {
      return Held{(*adapter_).attr("begin")(bucket.layout.index, bucket.own, bucket.step.number,
                                            bucket.step.lr)};
    });
    auto stop = go_on(coroutine, std::nullopt);
    while (stop.call) {
      calls.push_back(plan_of(*stop.call, group.rank()));
      auto pending = issue(*stop.call, group);
      const auto answer = co_await pending;
      stop = go_on(coroutine, answer);
    }
    if (stop.mean.data_ptr() != bucket.mean.data_ptr()) bucket.mean.copy_(stop.mean);
  }

  void visit_state(StateVisitor& visitor) override {
    in_python([&] { visit_python(visitor, "averager", *adapter_); });
  }

 private:
  Stop go_on(const Held& coroutine, const std::optional<at::Tensor>& answer) {
    return in_python([&] { return stop_of((*adapter_).attr("go_on")(*coroutine, answer)); });
  }

  Held adapter_;
  std::map<int, std::vector<PlannedCollective>> calls_;  ///< of each bucket, in this iteration
};

}  // namespace

std::unique_ptr<Averager> python_averager(const py::object& adapter) {
  return std::make_unique<PythonAverager>(adapter);
}

}  // namespace pacbench::trainer::python
