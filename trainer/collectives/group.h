#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "contract/worker/worker_event.h"
#include "trainer/collectives/backend.h"
#include "trainer/collectives/collective.h"
#include "trainer/collectives/executor.h"
#include "trainer/collectives/own_core.h"
#include "trainer/collectives/sequencer.h"
#include "trainer/collectives/task.h"

namespace pacbench::trainer {

class Group;

/// An event that one exchange of a rank sets and the rank's other exchanges wait for: `co_await
/// group.until(event)`. It may be used on the rank's executor only.
class Event {
 public:
  /// Sets the event and resumes the waiting exchanges. With a `failure` they throw it.
  void set(Executor& executor, std::exception_ptr failure = nullptr) {
    happened_ = true;
    failure_ = std::move(failure);
    for (const auto waiting : std::exchange(waiting_, {})) {
      executor.post_ahead([waiting] { waiting.resume(); });
    }
  }

  bool happened() const { return happened_; }
  void add(std::coroutine_handle<> waiting) { waiting_.push_back(waiting); }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool happened_ = false;
  std::exception_ptr failure_;
  std::vector<std::coroutine_handle<>> waiting_;
};

/// How long one exchange has computed on the rank's executor, without its waits for collectives and
/// for other buckets. The time of GPU work after the last collective is left out.
class WorkTime {
 public:
  /// Stops the clock when the exchange begins to wait; go_on() starts it again.
  void pause() {
    OwnCore::of_this_thread().catch_up();
    total_ns_ = total_ns();
    paused_ = true;
    if (!encode_ns_) encode_ns_ = total_ns_;
  }
  void go_on() {
    if (!paused_) return;
    since_ns_ = emulated_ns();
    paused_ = false;
  }

  std::int64_t total_ns() const { return total_ns_ + (paused_ ? 0 : emulated_ns() - since_ns_); }
  /// The work before the first wait, which mostly is the wait for the first collective. Before that
  /// wait: all work so far.
  std::int64_t encode_ns() const { return encode_ns_.value_or(total_ns()); }

 private:
  std::int64_t total_ns_ = 0;
  std::int64_t since_ns_ = emulated_ns();
  bool paused_ = false;
  std::optional<std::int64_t> encode_ns_;
};

/// A collective that a coroutine awaits: `co_await group.all_reduce(tensor)`. The coroutine resumes
/// on the rank's executor. It gets the output, or the input where the collective works in place, or
/// the exception with which the backend or another bucket failed.
class [[nodiscard]] PendingCollective {
 public:
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting);
  at::Tensor await_resume();

 private:
  friend class Group;
  PendingCollective(Group& group, Collective call);

  void park(std::coroutine_handle<> waiting);
  void issue(std::coroutine_handle<> waiting);

  Group* group_;
  Collective call_;
  std::size_t trace_index_;
  std::exception_ptr failure_;
};

/// The wait of one exchange for an event that another exchange of the same rank sets.
class [[nodiscard]] PendingEvent {
 public:
  PendingEvent(Event& event, WorkTime& work) : event_{&event}, work_{&work} {}
  bool await_ready() const noexcept { return event_->happened(); }
  void await_suspend(std::coroutine_handle<> waiting) {
    work_->pause();
    event_->add(waiting);
  }
  void await_resume() {
    work_->go_on();
    event_->rethrow();
  }

 private:
  Event* event_;
  WorkTime* work_;
};

/// Makes a method's calls: the collectives of one bucket's exchange in one iteration. The group
/// orders, counts and times the calls, so a method never does. Tensors must be contiguous and
/// one-dimensional and must live until the call has ended. They are on device(); small ones may be
/// on the host. The caller need not wait for a GPU: the group waits until the GPU has computed what
/// is sent, and what was received is in place when the call ends.
///
/// GCC 12 miscompiles braced lists and aggregate temporaries inside a co_await expression, so
/// callers put them into a named variable first.
class Group {
 public:
  /// The objects that the groups of one rank share.
  struct Rank {
    Executor& executor;
    Sequencer& sequencer;
  };

  Group(Rank rank, std::shared_ptr<Backend> backend, int bucket, BucketTrace& trace);

  /// On a rank outside of the group rank() is -1 and size() is 0.
  int rank() const { return backend_ ? backend_->rank() : -1; }
  int size() const { return backend_ ? backend_->size() : 0; }
  bool member() const { return backend_ != nullptr; }
  /// The device that holds the gradients that methods receive, and the tensors that they encode
  /// these into.
  c10::Device device() const { return device_; }

  /// Reduces `tensor` over all ranks, in place, with identical bits everywhere.
  PendingCollective all_reduce(at::Tensor tensor, Reduction reduction = Reduction::kSum);

  /// Gathers every rank's `tensor` (of one size), one after another: size() × numel elements.
  PendingCollective all_gather(at::Tensor tensor);

  /// Gathers every rank's `tensor`, one after another, by an all-to-all. `sizes` are the numbers of
  /// elements of all ranks' tensors.
  PendingCollective all_gather_sized(const at::Tensor& tensor, std::vector<std::int64_t> sizes);

  /// Sends the first send_counts[0] elements to rank 0, the next send_counts[1] to rank 1, and so
  /// on. Returns receive_counts[0] elements from rank 0, then receive_counts[1] from rank 1, etc.
  PendingCollective all_to_all(at::Tensor tensor, std::vector<std::int64_t> send_counts,
                               std::vector<std::int64_t> receive_counts);

  /// Returns this rank's chunk of the sum over ranks: elements chunk_begin(rank) to
  /// chunk_begin(rank + 1) - 1. Built from an all-to-all, since Gloo's own reduce-scatter sends as
  /// much as an all-reduce.
  Task<at::Tensor> reduce_scatter(at::Tensor tensor);
  static std::int64_t chunk_begin(std::int64_t elements, int rank, int size) {
    return elements * rank / size;
  }

  /// Sends `tensor` to rank `to` and returns `receive_elements` from rank `from`. All ranks of the
  /// group must make the call. Over links, only ranks with elements for each other wait for each
  /// other; threads of one process all wait. A rank that sends or receives nothing passes an empty
  /// tensor or 0.
  PendingCollective send_receive(at::Tensor tensor, int to, int from,
                                 std::int64_t receive_elements);

  PendingCollective broadcast(at::Tensor tensor, int root);
  PendingCollective barrier() { return {*this, Collective{}}; }

  /// A group of some of the ranks (a site, a team) for this exchange. All ranks must make the same
  /// calls on it, also ranks outside, where a call takes its turn and does nothing. Making a group
  /// may wait for its members, so a method must make it for the first time in settle().
  Group sub_group(const std::vector<int>& ranks);

  /// With `co_await until(event)` an exchange waits until another exchange of the same rank
  /// announces the event. An exchange that waits for a later bucket must first call
  /// calls_nothing_more(), or the later bucket may never get its turn.
  PendingEvent until(Event& event) { return {event, *work_}; }
  void announce(Event& event, std::exception_ptr failure = nullptr) {
    event.set(rank_.executor, std::move(failure));
  }
  void calls_nothing_more() { rank_.sequencer.finish(bucket_); }

  /// How long this exchange has computed so far, and when its bucket was handed over, as
  /// emulated_ns() counts.
  const WorkTime& work() const;
  std::int64_t handed_over_ns() const { return trace_->exchange.start_ns; }

  /// The method's own notes in the trace, in addition to its collectives.
  Json& notes() { return trace_->notes; }

 private:
  friend class PendingCollective;

  /// Adds an output to `call`, with room for the elements of its receive_counts.
  PendingCollective with_output(Collective call);

  Rank rank_;
  std::shared_ptr<Backend> backend_;
  c10::Device device_;
  int bucket_;
  BucketTrace* trace_;
  std::shared_ptr<WorkTime> work_ = std::make_shared<WorkTime>();
};

}  // namespace pacbench::trainer
