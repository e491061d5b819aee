#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/links/probe_program.h"
#include "harness/machine/interrupt.h"
#include "harness/path/budget.h"

namespace pacbench::path {

/// The peer to ask: `pacbench link serve` on another machine.
struct Peer {
  std::string host;     ///< as the user wrote it, for messages
  std::string address;  ///< IPv4
  std::uint16_t port = 0;
};

/// Exchanges traffic with another machine, by pacbench-probe programs in slot 0 of a SlotHost.
class Asking {
 public:
  Asking(links::SlotHost& host, std::string program, Peer peer, const Interrupt& interrupt)
      : host_{host}, program_{std::move(program)}, peer_{std::move(peer)}, interrupt_{interrupt} {}

  const Peer& peer() const { return peer_; }

  /// Sends all requests at once; all are connected before any traffic begins. Returns the lines of
  /// each request. The lines of a request that did not end within `timeout_s` lack the line "done".
  /// Throws ProtocolError when a probe fails, and Interrupted on Ctrl-C.
  std::vector<std::vector<Json>> ask(const std::vector<Request>& requests, double timeout_s);

 private:
  struct Asked {
    links::ProbeProgram program;
    std::vector<Json> lines;
  };

  Asked start(const Request& request);
  void take_lines(std::vector<Asked>& all) const;

  links::SlotHost& host_;
  std::string program_;
  Peer peer_;
  const Interrupt& interrupt_;
};

}  // namespace pacbench::path
