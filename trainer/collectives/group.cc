#include "trainer/collectives/group.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "trainer/collectives/gpu_work.h"

namespace pacbench::trainer {
namespace {

/// `backend` is null outside of the group.
CollectiveTrace begin_trace(const Collective& call, const Backend* backend) {
  CollectiveTrace trace;
  trace.op = name_of(call.kind);
  trace.ready_ns = emulated_ns();
  trace.wire = {trace.ready_ns, trace.ready_ns};
  trace.group_size = backend == nullptr ? 0 : backend->size();
  if (backend == nullptr) return trace;
  const auto plan = plan_of(call, backend->rank());
  trace.payload_bytes = plan.payload_bytes;
  trace.sent_bytes = backend->bytes_sent_for(plan);
  if (call.input.defined()) {
    trace.dtype = dtype_name(call.input.scalar_type());
    trace.elements = call.input.numel();
  }
  return trace;
}

}  // namespace

PendingCollective::PendingCollective(Group& group, Collective call)
    : group_{&group}, call_{std::move(call)}, trace_index_{group.trace_->collectives.size()} {
  const auto& input = call_.input;
  if (call_.kind != CollectiveKind::kBarrier && (input.dim() != 1 || !input.is_contiguous())) {
    throw std::invalid_argument{"a collective takes contiguous one-dimensional tensors"};
  }
  // Waits until the payload is complete: encoding is no part of the time on the wire.
  wait_for_gpu(group.device());
  OwnCore::of_this_thread().catch_up();
  group.trace_->collectives.push_back(begin_trace(call_, group.backend_.get()));
}

void PendingCollective::await_suspend(std::coroutine_handle<> waiting) {
  group_->work_->pause();
  // Posted even from the executor itself, since a coroutine may have begun on another thread. The
  // post may resume the coroutine at once, so nothing of its frame may be used afterwards.
  group_->rank_.executor.post_ahead([this, waiting] { park(waiting); });
}

void PendingCollective::park(std::coroutine_handle<> waiting) {
  group_->rank_.sequencer.park(group_->bucket_, [this, waiting](std::exception_ptr failure) {
    if (!failure) return issue(waiting);
    failure_ = failure;
    group_->rank_.executor.post_ahead([waiting] { waiting.resume(); });
  });
}

void PendingCollective::issue(std::coroutine_handle<> waiting) {
  auto& executor = group_->rank_.executor;
  auto& wire = group_->trace_->collectives[trace_index_].wire;
  wire.start_ns = emulated_ns();
  const auto resume = [this, waiting](std::int64_t end_ns, const std::exception_ptr& failure) {
    group_->trace_->collectives[trace_index_].wire.end_ns = end_ns;
    if (failure) {
      auto& sequencer = group_->rank_.sequencer;
      sequencer.poison(failure);
      failure_ = sequencer.failure();  // the first failure: this one may only be its consequence
    }
    waiting.resume();
  };
  if (!group_->member()) {
    executor.post_ahead([resume] { resume(emulated_ns(), nullptr); });
    return;
  }
  group_->backend_->start(call_, [&executor, resume](std::exception_ptr failure) {
    const auto end_ns = emulated_ns();
    executor.post_ahead([resume, end_ns, failure] { resume(end_ns, failure); });
  });
}

at::Tensor PendingCollective::await_resume() {
  group_->work_->go_on();
  if (failure_) std::rethrow_exception(failure_);
  return call_.output.defined() ? call_.output : call_.input;
}

Group::Group(Rank rank, std::shared_ptr<Backend> backend, int bucket, BucketTrace& trace)
    : rank_{rank},
      backend_{std::move(backend)},
      device_{backend_ ? backend_->device() : c10::Device{c10::kCPU}},
      bucket_{bucket},
      trace_{&trace} {}

const WorkTime& Group::work() const {
  OwnCore::of_this_thread().catch_up();
  return *work_;
}

PendingCollective Group::all_reduce(at::Tensor tensor, Reduction reduction) {
  return {*this,
          {.kind = CollectiveKind::kAllReduce, .reduction = reduction, .input = std::move(tensor)}};
}

PendingCollective Group::all_gather(at::Tensor tensor) {
  const auto output = at::empty({size() * tensor.numel()}, tensor.options());
  return {*this,
          {.kind = CollectiveKind::kAllGather, .input = std::move(tensor), .output = output}};
}

PendingCollective Group::all_to_all(at::Tensor tensor, std::vector<std::int64_t> send_counts,
                                    std::vector<std::int64_t> receive_counts) {
  return with_output({.kind = CollectiveKind::kAllToAll,
                      .input = std::move(tensor),
                      .send_counts = std::move(send_counts),
                      .receive_counts = std::move(receive_counts)});
}

PendingCollective Group::send_receive(at::Tensor tensor, int to, int from,
                                      std::int64_t receive_elements) {
  std::vector<std::int64_t> send_counts(static_cast<std::size_t>(size()), 0);
  auto receive_counts = send_counts;
  if (member()) {
    send_counts.at(static_cast<std::size_t>(to)) = tensor.numel();
    receive_counts.at(static_cast<std::size_t>(from)) = receive_elements;
  }
  return with_output({.kind = CollectiveKind::kSendReceive,
                      .input = std::move(tensor),
                      .send_counts = std::move(send_counts),
                      .receive_counts = std::move(receive_counts)});
}

PendingCollective Group::with_output(Collective call) {
  const auto received =
      std::accumulate(call.receive_counts.begin(), call.receive_counts.end(), std::int64_t{0});
  call.output = at::empty({received}, call.input.options());
  return {*this, std::move(call)};
}

PendingCollective Group::broadcast(at::Tensor tensor, int root) {
  return {*this, {.kind = CollectiveKind::kBroadcast, .input = std::move(tensor), .root = root}};
}

PendingCollective Group::all_gather_sized(const at::Tensor& tensor,
                                          std::vector<std::int64_t> sizes) {
  std::vector<std::int64_t> send_counts(sizes.size(), tensor.numel());
  return all_to_all(tensor.repeat({std::max(size(), 1)}), std::move(send_counts), std::move(sizes));
}

Task<at::Tensor> Group::reduce_scatter(at::Tensor tensor) {
  std::vector<std::int64_t> send_counts;
  for (int peer = 0; peer < size(); ++peer) {
    send_counts.push_back(chunk_begin(tensor.numel(), peer + 1, size()) -
                          chunk_begin(tensor.numel(), peer, size()));
  }
  const auto own = member() ? send_counts[static_cast<std::size_t>(rank())] : 0;
  const std::vector<std::int64_t> receive_counts(static_cast<std::size_t>(size()), own);
  const auto parts = co_await all_to_all(tensor, send_counts, receive_counts);
  co_return parts.view({size(), own}).sum(0, false, tensor.scalar_type());
}

Group Group::sub_group(const std::vector<int>& ranks) {
  const bool inside = std::find(ranks.begin(), ranks.end(), rank()) != ranks.end();
  Group group{rank_, inside ? backend_->sub_group(ranks) : nullptr, bucket_, *trace_};
  group.device_ = device_;
  group.work_ = work_;
  return group;
}

}  // namespace pacbench::trainer
