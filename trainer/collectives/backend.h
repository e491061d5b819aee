#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "trainer/collectives/collective.h"

namespace pacbench::trainer {

/// Carries out collectives for one rank of a group. All ranks must start them in the same order.
/// Tensors are in the memory of device(); any backend accepts tensors of the host.
class Backend {
 public:
  /// Called once, on any thread, with the failure or null; outputs are then in place.
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

  /// Begins a collective and returns at once. Never throws: failures go to `done`.
  virtual void start(const Collective& call, Completion done) = 0;

  /// Reports that this rank has failed and will call nothing more. Where other ranks would not
  /// notice, as they do when a process ends, it fails their collectives with `reason`.
  virtual void abort(std::exception_ptr reason) { static_cast<void>(reason); }

  /// A group of `ranks` (of this group, ascending, with this one among them). All of its members
  /// must call this, in the same order when several are made; it may wait for them.
  virtual std::shared_ptr<Backend> sub_group(const std::vector<int>& ranks) = 0;
};

}  // namespace pacbench::trainer
