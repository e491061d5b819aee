#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/json/json_reader.h"
#include "harness/links/slot_host.h"
#include "harness/machine/interrupt.h"
#include "harness/path/figures.h"

namespace pacbench::path {

/// The peer to ask: `pacbench link serve` on another machine.
struct Peer {
  std::string host;     ///< as the user wrote it, for messages
  std::string address;  ///< IPv4
  std::uint16_t port = 0;
};

/// The IPv4 address of a host, dotted. Throws ConfigError naming the host when it has none.
std::string ipv4_of(const std::string& host);

/// Receives a line for a person.
using Say = std::function<void(const std::string&)>;

/// Measures the path to another machine, by pacbench-probe programs (at the path `program`) in slot
/// 0 of a SlotHost: round trips, TCP each way alone, TCP both ways at once, unpaced and paced, then
/// datagrams each way. `say` gets the name of each part before the part begins. Parts for which no
/// time is left are left out. Throws ProtocolError when a probe fails or no ping is answered, and
/// Interrupted on Ctrl-C.
Measurement measure(links::SlotHost& host, const std::string& program, const Peer& peer,
                    const Limits& limits, const Interrupt& interrupt, const Say& say);

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
