#pragma once

#include <string>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench {

struct Scenario;

/// The constants of mode simulate for connections and hosts, found from emulated runs
/// (docs/fidelity/simulated.md).
struct Simulate {
  /// The share of a link's rate that frames use.
  double bandwidth_factor = 1;
  /// The mean time from the arrival of a message's last byte until the waiting thread takes it.
  /// Each message draws its own time from an exponential distribution.
  double latency_ms = 0.06;
  /// The time of a worker's thread to post one send or receive. It posts one after another.
  double post_ms = 0.05;
  /// The work of a host for each message that it has received.
  double message_ms = 0.03;
  double work_ns_per_byte = 0.2;  ///< the host's work for each byte of a message
  /// The cores that all workers share for the work on messages, as in an emulated run; 0: each
  /// worker has cores of its own.
  int cores = 0;
};

Simulate read_simulate(ObjectReader reader);

/// Checks "simulate" as read_simulate() does, ranges included, in a mode that does not use it.
void check_unused_simulate(ObjectReader reader);

/// In mode simulate, adds an issue for each setting that this mode cannot model. In other modes,
/// adds an issue for each setting that only mode simulate supports, such as fewer than
/// kLeastComposed iterations.
void check_simulated(const Scenario& scenario, std::vector<Issue>& issues);

Json to_json(const Simulate& simulate);

Json simulate_schema();

}  // namespace pacbench
