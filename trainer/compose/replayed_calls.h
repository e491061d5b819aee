#pragma once

#include <vector>

#include "contract/catalogue/method_exchanges.h"
#include "trainer/collectives/group.h"

namespace pacbench::trainer {

/// The collective that a recorded step makes `rank` of `size` ranks call. Throws
/// std::invalid_argument for an unknown operation or type, and for a send-receive that does not say
/// to which rank it sends.
PlannedCollective plan_of(const MethodExchanges::Step& step, int rank, int size);

/// The payload of a step, in the same memory each time. Each all-reduce makes the values `ranks`
/// times as large. Floating-point values begin with the smallest normal number and are reset before
/// they become infinite, because adding denormal or infinite numbers takes a different time.
/// Integers begin with 1 and are never reset.
class Payload {
 public:
  Payload(const MethodExchanges::Step& step, c10::Device device);

  at::Tensor next(int ranks);

 private:
  void fill();

  at::Tensor tensor_;
  double least_ = 0x1p-126;
  double most_ = 0x1p127;
  double value_ = 0;
};

/// The recorded calls of one rank in one exchange, with payloads of their own. Before, between and
/// after the calls the rank sleeps, `compute_factor` times as long as the method worked there.
class ReplayedCalls {
 public:
  ReplayedCalls(const MethodExchanges::Bucket& recorded, double compute_factor, c10::Device device);

  std::vector<PlannedCollective> plans(int rank, int size) const;
  Task<> replay(Group& group);

 private:
  void work(double ms) const;

  MethodExchanges::Bucket recorded_;
  double compute_factor_;
  std::vector<Payload> payloads_;
};

}  // namespace pacbench::trainer
