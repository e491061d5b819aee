#include "trainer/collectives/gloo_group.h"

#include <future>
#include <memory>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "trainer/collectives/executor.h"
#include "trainer/collectives/sub_groups.h"

namespace pacbench::trainer {
namespace {

using c10d::ProcessGroupGloo;

c10d::ReduceOp::RedOpType gloo_reduction(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
      return c10d::ReduceOp::SUM;
    case Reduction::kMax:
      return c10d::ReduceOp::MAX;
    case Reduction::kBitOr:
      return c10d::ReduceOp::BOR;
  }
  throw std::logic_error{"a reduction that Gloo does not have"};
}

c10::intrusive_ptr<c10d::Work> start_on(ProcessGroupGloo& gloo, Collective call) {
  std::vector<at::Tensor> tensors{call.input};
  switch (call.kind) {
    case CollectiveKind::kAllReduce: {
      c10d::AllreduceOptions options;
      options.reduceOp = gloo_reduction(call.reduction);
      return gloo.allreduce(tensors, options);
    }
    case CollectiveKind::kAllGather:
      return gloo._allgather_base(call.output, call.input);
    case CollectiveKind::kAllToAll:
      return gloo.alltoall_base(call.output, call.input, call.receive_counts, call.send_counts);
    case CollectiveKind::kBroadcast: {
      c10d::BroadcastOptions options;
      options.rootRank = call.root;
      return gloo.broadcast(tensors, options);
    }
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

}  // namespace

class GlooGroup::GlooBackend final : public Backend {
 public:
  GlooBackend(c10::intrusive_ptr<c10d::Store> store, int rank, int size,
              const c10::intrusive_ptr<ProcessGroupGloo::Options>& options)
      : gloo_{c10::make_intrusive<ProcessGroupGloo>(store, rank, size, options)},
        sub_groups_{std::move(store), rank,
                    [this, options](const SubGroups::Store& shared, int place, int members) {
                      return in_class_of(starting_, [&] {
                        return std::make_shared<GlooBackend>(shared, place, members, options);
                      });
                    }} {}

  int rank() const override { return gloo_->getRank(); }
  int size() const override { return gloo_->getSize(); }

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

  std::shared_ptr<Backend> sub_group(const std::vector<int>& ranks) override {
    return sub_groups_.of(ranks);
  }

 private:
  void start_and_wait(const Collective& call, const Completion& done) {
    try {
      // Gloo has no callback for these transfers, so a thread must wait for them.
      waiting_.post([works = start_transfers(*gloo_, call), done] { done(end_of(works)); });
    } catch (...) {
      done(std::current_exception());
    }
  }

  c10::intrusive_ptr<ProcessGroupGloo> gloo_;
  SubGroups sub_groups_;
  // The executors come last, so that their threads end before the group that they use.
  Executor waiting_;
  /// Its thread starts in the scheduling class of Gloo's threads. It holds the connections' locks
  /// instead of the caller, who may be in a lower class. See in_class_of().
  Executor starting_;
};

GlooGroup::GlooGroup(const GlooOptions& options) {
  auto gloo_options = ProcessGroupGloo::Options::create(options.timeout);
  gloo_options->devices.push_back(
      options.interface.empty() ? ProcessGroupGloo::createDefaultDevice()
                                : ProcessGroupGloo::createDeviceForInterface(options.interface));
  backend_ = std::make_shared<GlooBackend>(options.store, options.rank, options.size, gloo_options);
}

GlooGroup::~GlooGroup() = default;

std::shared_ptr<Backend> GlooGroup::backend() const { return backend_; }

}  // namespace pacbench::trainer
