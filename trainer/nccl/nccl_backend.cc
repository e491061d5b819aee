// libpacbench_nccl.so: collectives of c10d's ProcessGroupNCCL.
#include <ATen/Functions.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <nccl.h>

#include <stdexcept>
#include <thread>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "trainer/collectives/executor.h"
#include "trainer/collectives/gpu_work.h"
#include "trainer/collectives/nccl_module.h"

namespace pacbench::trainer {
namespace {

using c10d::ProcessGroupNCCL;
using Clock = std::chrono::steady_clock;

c10::impl::VirtualGuardImpl gpus() { return c10::impl::VirtualGuardImpl{c10::kCUDA}; }

c10::intrusive_ptr<ProcessGroupNCCL> new_group(const Membership& own, c10::Device gpu) {
  auto options = ProcessGroupNCCL::Options::create(/*is_high_priority_stream=*/true);
  options->timeout = own.timeout;
  auto group = c10::make_intrusive<ProcessGroupNCCL>(own.store, own.rank, own.size, options);
  group->setBoundDeviceId(gpu);
  group->eagerConnectSingleDevice(gpu);
  return group;
}

/// A collective that is queued on the GPU.
struct Asked {
  Collective call;     ///< keeps its tensors alive
  Collective on_gpu;   ///< the same call with GPU copies of host tensors; keeps them alive
  GpuMoment in_place;  ///< when the call, and the work on its result, is done
  std::vector<c10::intrusive_ptr<c10d::Work>> works;
};

/// Issues collectives in order in a stream of its own. A thread waits until the GPU has carried out
/// each one, and notices failures and timeouts.
///
/// NCCL has no OR of bits. The backend makes it of an all-to-all of equal parts, an OR of the
/// received parts, and an all-gather. Together they send as many bytes as a ring all-reduce, but
/// for padding. Tensors of the host travel through memory of the GPU.
class NcclBackend final : public ProcessBackend {
 public:
  NcclBackend(const Membership& own, c10::Device gpu)
      : ProcessBackend{own},
        gpu_{gpu},
        timeout_{own.timeout},
        nccl_{new_group(own, gpu)},
        stream_{gpus().getStreamFromGlobalPool(gpu, /*isHighPriority=*/true)},
        waiting_{std::make_unique<Executor>()} {
    waiting_->post([gpu] { take_own_stream(gpu); });
    connect();
  }

  ~NcclBackend() override {
    waiting_.reset();
    try {
      nccl_->shutdown();
    } catch (const std::exception&) {
      // Another rank may have ended before this one.
    }
  }

  c10::Device device() const override { return gpu_; }

  /// Counts a broadcast as passed on from rank to rank, as NCCL's ring does: the last rank sends
  /// nothing.
  std::int64_t bytes_sent_for(const PlannedCollective& call) const override {
    if (call.kind != CollectiveKind::kBroadcast) return sent_bytes(call, rank(), size());
    const bool last = (rank() - call.root + size()) % size() == size() - 1;
    return last ? 0 : call.payload_bytes;
  }

  void start(const Collective& call, Completion done) override {
    try {
      waiting_->post([this, asked = ask(call), done] { done(end_of(asked)); });
    } catch (...) {
      done(std::current_exception());
    }
  }

 private:
  std::shared_ptr<Backend> join(const Membership& part) override {
    return std::make_shared<NcclBackend>(part, gpu_);
  }

  /// Makes all connections now: those of rings by a barrier, the direct ones by an all-to-all. NCCL
  /// would otherwise make them at first use. So later only data crosses the links.
  void connect() {
    const std::vector<std::int64_t> one_each(static_cast<std::size_t>(size()), 1);
    const Collective direct{.kind = CollectiveKind::kAllToAll,
                            .input = at::zeros({size()}, at::kByte),
                            .output = at::zeros({size()}, at::kByte),
                            .send_counts = one_each,
                            .receive_counts = one_each};
    for (const auto& call : {Collective{}, direct}) {
      const Ending ended;
      start(call, ended);
      ended.future().get();
    }
  }

  Asked ask(const Collective& call) {
    // Copies are made in the calling thread's stream, since a copy from the host waits for all
    // earlier work of its stream. In stream_ it would wait for the earlier collectives.
    auto staged = on_gpu(call);
    // The collective runs after all work that the calling thread has queued on the GPU, copies
    // included.
    c10::Event made{c10::kCUDA};
    made.record(gpus().getStream(gpu_));
    made.block(stream_);
    const c10::StreamGuard in_stream{stream_};
    auto works = issue(staged);
    return {call, std::move(staged), GpuMoment{gpu_}, std::move(works)};
  }

  Collective on_gpu(const Collective& call) const {
    auto staged = call;
    // A barrier is an all-reduce of one byte without meaning.
    staged.input = call.input.defined() ? call.input.to(gpu_)
                                        : at::zeros({1}, at::device(gpu_).dtype(at::kByte));
    // All of an output is received, so the host's old values are not copied.
    if (call.output.defined() && call.output.is_cpu()) {
      staged.output = at::empty_like(call.output, at::device(gpu_));
    }
    return staged;
  }

  std::vector<c10::intrusive_ptr<c10d::Work>> issue(Collective& call) {
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    // wait() makes later work in the stream wait for the result.
    const auto then = [&works](c10::intrusive_ptr<c10d::Work> work) {
      work->wait();
      works.push_back(std::move(work));
    };
    std::vector<at::Tensor> tensors{call.input};
    switch (call.kind) {
      case CollectiveKind::kAllReduce:
        if (call.reduction == Reduction::kBitOr) {
          or_of_bits(call.input, then);
        } else {
          then(nccl_->allreduce(tensors, all_reduce_options(call.reduction)));
        }
        break;
      case CollectiveKind::kAllGather:
        then(nccl_->_allgather_base(call.output, call.input));
        break;
      // Torch sends nothing to a rank whose send count is zero.
      case CollectiveKind::kAllToAll:
      case CollectiveKind::kSendReceive:
        then(nccl_->alltoall_base(call.output, call.input, call.receive_counts, call.send_counts));
        break;
      case CollectiveKind::kBroadcast:
        then(nccl_->broadcast(tensors, broadcast_options(call.root)));
        break;
      case CollectiveKind::kBarrier:
        then(nccl_->allreduce(tensors));
        break;
    }
    return works;
  }

  template <typename Then>
  void or_of_bits(at::Tensor& bits, const Then& then) {
    const auto share = (bits.numel() + size() - 1) / size();
    auto all = at::zeros({share * size()}, bits.options());
    all.narrow(0, 0, bits.numel()).copy_(bits);
    auto received = at::empty_like(all);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(size()), share);
    then(nccl_->alltoall_base(received, all, counts, counts));
    auto own = received.narrow(0, 0, share).clone();
    for (int peer = 1; peer < size(); ++peer) {
      own.bitwise_or_(received.narrow(0, peer * share, share));
    }
    then(nccl_->_allgather_base(all, own));
    bits.copy_(all.narrow(0, 0, bits.numel()));
  }

  /// Waits for a collective, on the waiting thread. Returns null or the collective's failure. All
  /// collectives after a failure fail with the same exception.
  std::exception_ptr end_of(const Asked& asked) noexcept {
    try {
      if (!failure_) wait_for(asked);
      if (!failure_) give_to_host(asked);
    } catch (...) {
      failure_ = std::current_exception();
    }
    return failure_;
  }

  void wait_for(const Asked& asked) const {
    const auto deadline = Clock::now() + timeout_;
    while (!asked.in_place.reached()) {
      for (const auto& work : asked.works) require_well(*work);
      if (Clock::now() > deadline) {
        throw std::runtime_error{fmt::format(
            "NCCL: a collective ({}) has not ended within {:g} s: a rank takes no part in it, or "
            "the links are slower than the timeout allows",
            name_of(asked.call.kind), std::chrono::duration<double>{timeout_}.count())};
      }
      std::this_thread::sleep_for(std::chrono::microseconds{GpuMoment::kLookEveryUs});
    }
    for (const auto& work : asked.works) require_well(*work);
  }

  /// Throws the exception that NCCL reports for a broken connection.
  static void require_well(c10d::Work& work) {
    work.isCompleted();  // asks NCCL
    if (work.exception()) std::rethrow_exception(work.exception());
  }

  static void give_to_host(const Asked& asked) {
    for (auto [host, gpu] : {std::pair{asked.call.input, asked.on_gpu.input},
                             std::pair{asked.call.output, asked.on_gpu.output}}) {
      if (host.defined() && host.is_cpu()) host.copy_(gpu);
    }
  }

  c10::Device gpu_;
  std::chrono::milliseconds timeout_;
  c10::intrusive_ptr<ProcessGroupNCCL> nccl_;
  c10::Stream stream_;          ///< in which NCCL is called
  std::exception_ptr failure_;  ///< the first failure; only the waiting thread uses it
  std::unique_ptr<Executor> waiting_;
};

std::shared_ptr<Backend> join_group(const Membership& membership, c10::Device gpu) {
  return std::make_shared<NcclBackend>(membership, gpu);
}

/// The version of the loaded NCCL as text: "2.28.9" for 22809.
std::string loaded_version() {
  int code = 0;
  if (ncclGetVersion(&code) != ncclSuccess) throw std::runtime_error{"NCCL reports no version"};
  return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100);
}

}  // namespace
}  // namespace pacbench::trainer

const pacbench::trainer::NcclModule* pacbench_nccl_module() {
  static const auto version = pacbench::trainer::loaded_version();
  static const pacbench::trainer::NcclModule module{version.c_str(), pacbench::trainer::join_group};
  return &module;
}
