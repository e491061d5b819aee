#pragma once

#include "base/checked_keys.h"
#include "contract/scenario/simulate.h"

/// The keys of "simulate", for reader, writer and schema.
namespace pacbench {

template <>
struct JsonFields<Simulate> {
  using T = Simulate;
  static constexpr Range kMs{0.0, 1000.0};
  static constexpr std::tuple kAll{
      defaulted("bandwidth_factor", &T::bandwidth_factor, Range::ratio(),
                "share of a rate that frames of data take"),
      defaulted("sharing_factor", &T::sharing_factor, Range::ratio(),
                "share of that which flows of three workers or more to one take together"),
      defaulted("latency_ms", &T::latency_ms, kMs,
                "of a message, one way, beyond its transmission and the links' delay"),
      defaulted("message_ms", &T::message_ms, kMs, "work of a host for each message"),
      defaulted("work_ns_per_byte", &T::work_ns_per_byte, Range{0.0, 1000.0},
                "and for each of its bytes"),
      defaulted(
          "cores", &T::cores, Range{0.0, 4096.0},
          "that all workers share for that work, as in an emulated run; 0: each has its own")};
};

}  // namespace pacbench
