#pragma once

#include <string>
#include <vector>

#include "base/json/checked_keys.h"

namespace pacbench {

struct Scenario;

/// The constants of mode simulate for connections and hosts, found from emulated runs
/// (docs/fidelity/simulated.md). The table of their keys says what they mean.
struct Simulate {
  double bandwidth_factor = 1;
  double latency_ms =
      0.06;  ///< a mean: each message draws its own from an exponential distribution
  double post_ms = 0.05;
  double message_ms = 0.03;
  double work_ns_per_byte = 0.2;
  int cores = 0;
};

template <>
struct JsonFields<Simulate> {
  using T = Simulate;
  static constexpr Range kMs{0.0, 1000.0};
  static constexpr std::tuple kAll{
      defaulted("bandwidth_factor", &T::bandwidth_factor, Range::ratio(),
                "share of a link's rate that frames use"),
      defaulted("latency_ms", &T::latency_ms, kMs,
                "mean time from a message's arrival until the waiting thread takes the message"),
      defaulted("post_ms", &T::post_ms, kMs, "time of a worker to post a send or a receive"),
      defaulted("message_ms", &T::message_ms, kMs, "work of a host for each message"),
      defaulted("work_ns_per_byte", &T::work_ns_per_byte, Range{0.0, 1000.0},
                "work of a host for each byte of a message"),
      defaulted("cores", &T::cores, Range{0.0, 4096.0},
                "cores that all workers share for the work on messages, as in an emulated run; 0: "
                "each worker has cores of its own")};
};

/// In mode simulate, adds an issue for each setting that this mode cannot model. In other modes,
/// adds an issue for each setting that only mode simulate supports, such as fewer than
/// kLeastComposed iterations.
void check_simulated(const Scenario& scenario, std::vector<Issue>& issues);

}  // namespace pacbench
