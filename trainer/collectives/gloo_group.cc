#include "trainer/collectives/gloo_group.h"

#include <future>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "trainer/collectives/executor.h"

namespace pacbench::trainer {
namespace {

using c10d::ProcessGroupGloo;

c10::intrusive_ptr<c10d::Work> start_on(ProcessGroupGloo& gloo, Collective call) {
  std::vector<at::Tensor> tensors{call.input};
  switch (call.kind) {
    case CollectiveKind::kAllReduce:
      return gloo.allreduce(tensors, all_reduce_options(call.reduction));
    case CollectiveKind::kAllGather:
      return gloo._allgather_base(call.output, call.input);
    case CollectiveKind::kAllToAll:
      return gloo.alltoall_base(call.output, call.input, call.receive_counts, call.send_counts);
    case CollectiveKind::kBroadcast:
      return gloo.broadcast(tensors, broadcast_options(call.root));
    case CollectiveKind::kBarrier:
      return gloo.barrier();
    case CollectiveKind::kSendReceive:  // start_transfers
      break;
  }
  throw std::logic_error{"a collective that Gloo does not have"};
}

using Works = std::vector<c10::intrusive_ptr<c10d::Work>>;

/// Starts the sends and receives of a send-receive. Any two ranks start their transfers to each
/// other in the same order, so that one tag is enough.
Works start_transfers(ProcessGroupGloo& gloo, const Collective& call) {
  constexpr int kTag = 0;
  Works works;
  auto to_send = call.input.split_with_sizes(call.send_counts);
  auto to_receive = call.output.split_with_sizes(call.receive_counts);
  for (int peer = 0; peer < gloo.getSize(); ++peer) {
    auto& outgoing = to_send[static_cast<std::size_t>(peer)];
    auto& incoming = to_receive[static_cast<std::size_t>(peer)];
    if (peer == gloo.getRank()) {
      incoming.copy_(outgoing);
      continue;
    }
    std::vector<at::Tensor> received{incoming};
    std::vector<at::Tensor> sent{outgoing};
    if (incoming.numel() > 0) works.push_back(gloo.recv(received, peer, kTag));
    if (outgoing.numel() > 0) works.push_back(gloo.send(sent, peer, kTag));
  }
  return works;
}

std::exception_ptr end_of(const Works& works) {
  try {
    for (const auto& work : works) work->wait();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// Calls `make` on the thread of `executor` and returns what it made. Threads that `make` starts
/// then have that thread's scheduling class, and not the caller's. Gloo's polling thread spins on a
/// connection's lock, and so occupies a core. A thread of a lower class that holds the lock would
/// get no core to release it.
template <typename Make>
std::shared_ptr<Backend> in_class_of(Executor& executor, Make make) {
  using Making = std::packaged_task<std::shared_ptr<Backend>()>;
  const auto task = std::make_shared<Making>(std::move(make));  // its call may end after get()
  auto made = task->get_future();
  executor.post([task] { (*task)(); });
  return made.get();
}

class GlooBackend final : public ProcessBackend {
 public:
  GlooBackend(const Membership& own, c10::intrusive_ptr<ProcessGroupGloo::Options> options)
      : ProcessBackend{own},
        options_{std::move(options)},
        gloo_{c10::make_intrusive<ProcessGroupGloo>(own.store, own.rank, own.size, options_)} {}

  void start(const Collective& call, Completion done) override {
    try {
      if (call.kind == CollectiveKind::kSendReceive) {
        starting_.post([this, call, done] { start_and_wait(call, done); });
        return;
      }
      const auto work = start_on(*gloo_, call);
      work->getFuture()->addCallback([done, work](c10::ivalue::Future& future) {
        done(future.hasError() ? future.exception_ptr() : nullptr);
      });
    } catch (...) {
      done(std::current_exception());
    }
  }

 private:
  std::shared_ptr<Backend> join(const Membership& part) override {
    return in_class_of(starting_, [&] { return std::make_shared<GlooBackend>(part, options_); });
  }

  void start_and_wait(const Collective& call, const Completion& done) {
    try {
      // Gloo has no callback for these transfers, so a thread must wait for them.
      waiting_.post([works = start_transfers(*gloo_, call), done] { done(end_of(works)); });
    } catch (...) {
      done(std::current_exception());
    }
  }

  c10::intrusive_ptr<ProcessGroupGloo::Options> options_;
  c10::intrusive_ptr<ProcessGroupGloo> gloo_;
  // The executors come last, so that their threads end before the group that they use.
  Executor waiting_;
  /// Its thread starts in the scheduling class of Gloo's threads. It holds the connections' locks
  /// instead of the caller, who may be in a lower class. See in_class_of().
  Executor starting_;
};

}  // namespace

std::shared_ptr<Backend> join_gloo_group(const Membership& membership,
                                         const std::string& interface) {
  auto options = ProcessGroupGloo::Options::create(membership.timeout);
  options->devices.push_back(interface.empty()
                                 ? ProcessGroupGloo::createDefaultDevice()
                                 : ProcessGroupGloo::createDeviceForInterface(interface));
  return std::make_shared<GlooBackend>(membership, std::move(options));
}

}  // namespace pacbench::trainer
