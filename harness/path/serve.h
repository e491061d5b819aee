#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/json/json_reader.h"
#include "harness/machine/interrupt.h"

namespace pacbench::path {

/// The limits that `pacbench link serve` sets to other machines, and where it listens.
struct ServeOptions {
  std::string bind = "0.0.0.0";
  std::uint16_t port = 4501;
  int most_clients = 16;  ///< different addresses, from its start to its end
  double most_mb = 1000;  ///< 10^6 bytes of payload, for each client
};

/// A line of the server's pacbench-probe in words for a person.
std::string describe(const Json& line, const ServeOptions& options);

/// Answers `pacbench link measure` of other machines, by pacbench-probe, until Ctrl-C. Then throws
/// Interrupted. `say` gets a line for everything that happens. Throws ProtocolError when the probe
/// fails.
void serve(const std::string& program, const ServeOptions& options, const Interrupt& interrupt,
           const std::function<void(const std::string&)>& say);

}  // namespace pacbench::path
