#include "trainer/python/coroutine.h"

#include <pybind11/stl.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trainer/collectives/names.h"

namespace pacbench::trainer::python {
namespace {

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

}  // namespace

Stop go_on(const Held& adapter, const Held& coroutine, const std::optional<at::Tensor>& answer) {
  return in_python([&] { return stop_of((*adapter).attr("go_on")(*coroutine, answer)); });
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

}  // namespace pacbench::trainer::python
