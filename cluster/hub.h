#pragma once

#include <cstdint>
#include <string>

namespace pacbench::cluster {

struct HubOptions {
  std::string socket;  ///< path at which pacbench connects
  std::string bind = "0.0.0.0";
  std::uint16_t port = 0;  ///< 0: any
  int nodes = 1;
  std::string token;
  bool share_hosts = false;  ///< several nodes may be on one host, since each makes its own links
};

/// Connects the nodes of a run. Does for pacbench, with the nodes' links, what pacbench-netd does
/// with links that pacbench-netd makes. Writes a JSON line to the standard output for each of these
/// events:
///   {"event": "listening", "port"}, {"event": "joined", "rank", "host"},
///   {"event": "refused", "rank", "host", "reason"} only for a node that has the run's token,
///   {"event": "lost", "rank", "host", "reason"}
/// Serves until SIGTERM or SIGINT, or the end of the standard input, whose lines may be:
///   {"at_end": WORDS}   a command that the hub runs when it ends
///   {"explain": WORDS}  a command whose output tells more about why nodes were lost
void run_hub(const HubOptions& options);

}  // namespace pacbench::cluster
