#pragma once

#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <vector>

#include "trainer/collectives/collective.h"

namespace pacbench::trainer {

/// Tells whoever waits for future() that something has ended: with null, or with the failure.
/// Copies share their promise, because the thread that calls one may still be inside set_value()
/// when the wait is over.
class Ending {
 public:
  void operator()(const std::exception_ptr& failure) const {
    failure ? ended_->set_exception(failure) : ended_->set_value();
  }
  std::future<void> future() const { return ended_->get_future(); }

 private:
  std::shared_ptr<std::promise<void>> ended_ = std::make_shared<std::promise<void>>();
};

/// Carries out collectives for one rank of a group. All ranks must start them in the same order.
/// Tensors are in the memory of device() or, with any backend, in the host's.
class Backend {
 public:
  /// Called once, on any thread: with null when the outputs are in place, else with the failure.
  using Completion = std::function<void(std::exception_ptr)>;

  virtual ~Backend() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// The device whose memory the backend sends from and receives into.
  virtual c10::Device device() const { return c10::kCPU; }

  /// Bytes of payload that this rank sends for one collective.
  virtual std::int64_t bytes_sent_for(const PlannedCollective& call) const {
    return sent_bytes(call, rank(), size());
  }

  /// Begins a collective. Never throws: failures go to `done`. Some backends carry the collective
  /// out and call `done` before this returns.
  virtual void start(const Collective& call, Completion done) = 0;

  /// Reports that this rank has failed and will call nothing more. Ranks that are processes notice
  /// when another process ends, so nothing is done for them. Where ranks are threads, all waiting
  /// and later collectives fail with an error that tells `reason`.
  virtual void abort(std::exception_ptr reason) { static_cast<void>(reason); }

  /// Returns the group of `ranks`: numbers in this group, ascending, with this rank among them. All
  /// members must call this; members that make several groups must make them in the same order. May
  /// wait for the other members.
  virtual std::shared_ptr<Backend> sub_group(const std::vector<int>& ranks) = 0;
};

}  // namespace pacbench::trainer
