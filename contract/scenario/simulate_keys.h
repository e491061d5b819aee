#pragma once

#include "base/json/checked_keys.h"
#include "contract/scenario/simulate.h"

/// The keys of "simulate", for reader, writer and schema.
namespace pacbench {

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

}  // namespace pacbench
