#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "contract/network/network.h"
#include "harness/record/network_trace.h"

namespace pacbench::exports {

/// The rate that a direction of a fabric has from `at_ns` on.
struct RateChange {
  std::int64_t at_ns = 0;
  double rate_mbit = 0;
};

/// The rates of a link profile over a cell's time, by name of the direction. Each list begins with
/// the rate at `start_ns`. In the directions that follow the schedule, each of its later steps
/// comes next, with the time at which, by the trace, it took effect. `scenario` is in canonical
/// form. Throws ConfigError naming `source` when the scenario does not have `link`.
std::map<std::string, std::vector<RateChange>> link_rates(const std::string& source,
                                                          const Json& scenario,
                                                          const std::string& link,
                                                          const record::NetworkTrace& trace,
                                                          std::int64_t start_ns);

}  // namespace pacbench::exports
