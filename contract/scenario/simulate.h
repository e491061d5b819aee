#pragma once

#include <string>
#include <vector>

#include "base/json_reader.h"

namespace pacbench {

struct Scenario;

/// Mode simulate: what emulated runs say of connections and of the hosts behind them
/// (docs/FIDELITY.md, "Simulated times").
struct Simulate {
  /// The share of a rate that frames of data take; the rest is for what the model leaves out, such
  /// as acknowledgements and pauses of TCP.
  double bandwidth_factor = 0.99;
  /// The share of that which flows of three workers or more to one take together: none of TCP's
  /// flows knows of the others, and those that end early leave links idle.
  double sharing_factor = 0.7;
  /// The time of a message from one worker to another beyond its transmission and the links'
  /// declared delay, one way.
  double latency_ms = 0.1;
  /// The work of a host for each message.
  double message_ms = 0.05;
  double work_ns_per_byte = 0.2;  ///< and for each of its bytes
  /// The cores that all workers share for that work, as those of an emulated run do; 0: each has
  /// cores of its own.
  int cores = 0;
};

/// The most workers of a scenario in mode simulate, and in the others.
inline constexpr int kMostSimulatedWorkers = 1024;
inline constexpr int kMostWorkers = 128;

Simulate read_simulate(ObjectReader reader);

/// In another mode: keys and their types are looked at.
void check_unused_simulate(ObjectReader reader);

/// Complains of what mode simulate has no model of, and in other modes of what it alone has.
void check_simulated(const Scenario& scenario, std::vector<Issue>& issues);

Json to_json(const Simulate& simulate);

Json simulate_schema();

}  // namespace pacbench
