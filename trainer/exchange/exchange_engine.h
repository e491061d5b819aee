#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "contract/worker/worker_event.h"
#include "trainer/collectives/executor.h"
#include "trainer/collectives/sequencer.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer {

/// Runs one rank's method: starts a coroutine for each bucket on the rank's executor and keeps the
/// trace. An exchange fails when its calls differ from the traffic that the method declares, unless
/// its averager declares nothing. The engine depends on neither Reducer nor processes, so that the
/// same code serves threads of one process.
class ExchangeEngine {
 public:
  using Ended = std::function<void(std::exception_ptr)>;

  ExchangeEngine(std::shared_ptr<Backend> backend, std::unique_ptr<Method> method,
                 std::int64_t seed)
      : backend_{std::move(backend)}, method_{std::move(method)}, seed_{seed} {}

  /// Declares that gradients come from this device: the executor gets a stream of its own there, so
  /// that its work runs beside backward's.
  void take_gradients_from(c10::Device device);

  /// Encodes and decodes on a core so many times as fast as one of this machine (own_core.h).
  void encode_at(double speed) {
    executor_.post([speed] { OwnCore::of_this_thread().take_speed(speed); });
  }

  /// The device whose memory is exchanged.
  c10::Device device() const { return backend_->device(); }

  Method& method() { return *method_; }

  /// Sets the buckets and lets the method prepare for them. Blocks; throws what the method throws.
  void settle(Layout layout);
  const Layout& layout() const { return layout_; }

  /// Begins an iteration. Afterwards the caller must exchange every bucket once, or none when
  /// `exchanges_buckets` is false.
  void begin_iteration(const Step& step, bool exchanges_buckets = true);

  /// Starts the exchange that replaces `gradient`, a tensor on device(), by what the method's
  /// averager makes of it (Averager::average), usually the mean. May be called from any thread;
  /// returns at once. Calls `ended` on the executor when `gradient` is replaced, or with the
  /// failure.
  void exchange(int bucket, at::Tensor gradient, Ended ended);

  /// Runs the averager's finish_iteration, after the last bucket. Blocks. Throws what the averager
  /// throws, and std::logic_error when its calls are not those that it declares.
  void finish_iteration();

  /// Lets the method make the optimiser's step. Returns false when the caller must make it. Blocks,
  /// and throws as finish_iteration() does.
  bool optimizer_step(OptimizerView& view);

  /// Lets the method average the weights themselves, after the optimiser's step, which the method
  /// or the caller has made. Blocks, and throws as finish_iteration() does.
  void step_finished(OptimizerView& view);

  /// Gives all ranks rank 0's values of `tensors`, by one broadcast of their bytes. Blocks, and
  /// throws as finish_iteration() does.
  void share(const std::vector<at::Tensor>& tensors);

  /// Runs a coroutine with a group of its own while no bucket is under way. It runs on the calling
  /// thread up to its first wait, so a coroutine that never waits costs no switch of threads. No
  /// trace shows its calls. Blocks; throws what the coroutine throws.
  void run(const std::function<Task<>(Group&)>& body);

  /// The trace of the current iteration, complete when all its exchanges have ended. It has each
  /// bucket. Calls made by finish_iteration(), optimizer_step(), step_finished() or share() follow,
  /// if there are any, as bucket kBeside.
  std::vector<BucketTrace> trace() const;
  static constexpr int kBeside = -1;

  /// Bytes that this rank sends in the current iteration, as the method declared them.
  std::int64_t expected_sent_bytes() const { return expected_sent_bytes_; }

 private:
  /// The state that a bucket's coroutine refers to while it runs.
  struct Exchange {
    Bucket bucket;
    Group group;
    std::vector<PlannedCollective> declared;
  };

  void run(const std::function<Task<>(Group&)>& body, BucketTrace& trace);
  void fail(const std::exception_ptr& reason);
  std::exception_ptr difference_from_declared(Exchange& exchange, const BucketTrace& trace);
  void require_declared(const std::vector<PlannedCollective>& declared, const BucketTrace& trace,
                        std::size_t first = 0);
  void start_exchange(int bucket, at::Tensor gradient, std::int64_t ready_ns, Ended ended);

  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Method> method_;
  std::int64_t seed_;
  c10::Device gradients_on_ = c10::kCPU;
  Layout layout_;
  Sequencer sequencer_;
  Step step_;
  std::int64_t expected_sent_bytes_ = 0;
  std::deque<BucketTrace> trace_;
  BucketTrace beside_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
  /// The last member, so that its thread ends before anything that it uses.
  Executor executor_{Executor::Pace::kOwnCore};
};

/// Hands a rank's gradients to its engine. A gradient in host memory is handed over at once. A
/// gradient on a GPU is handed over when the GPU has computed it. If the engine's group sends from
/// other memory, the gradient is copied there first, and the mean is copied back. A separate thread
/// waits for the GPU, so backward can go on queueing work.
class GradientHandOver {
 public:
  explicit GradientHandOver(ExchangeEngine& engine) : engine_{engine} {}

  /// Starts the exchange of `gradient`, in place, when its device has done all that the calling
  /// thread has queued. Calls `ended` on the engine's executor when work that the calling thread
  /// queues next will find the mean in `gradient`, or with the failure. A failure before the
  /// exchange may reach `ended` on another thread.
  void start(int bucket, const at::Tensor& gradient, ExchangeEngine::Ended ended);

  /// The time at which the last gradient was ready. Read it only after that gradient's exchange.
  std::int64_t last_ready_ns() const { return last_ready_ns_; }

 private:
  void exchange(int bucket, const at::Tensor& gradient, ExchangeEngine::Ended ended);

  ExchangeEngine& engine_;
  std::atomic<std::int64_t> last_ready_ns_ = 0;
  std::optional<Executor> waiting_;  ///< its thread waits for a GPU
};

}  // namespace pacbench::trainer
