#pragma once

#include <optional>
#include <string>
#include <vector>

#include "netem/service/service.h"

namespace pacbench::netem {

inline constexpr const char* kUsage =
    "usage: pacbench-netd --fd N\n"
    "Serves the connected Unix stream socket inherited as descriptor N until it closes.\n"
    "`pacbench run` starts it; there is no need to do so by hand.\n"
    "\n"
    "       pacbench-netd --service [--listen PATH] [--group GROUP] [--state FOLDER]\n"
    "                     [--most-fabrics N] [--most-workers N] [--most-hours N] [--most-users N]\n"
    "                     [--most-queue-mb N] [--most-namespaces-per-hour N]\n"
    "                     [--most-memory-percent N] [--most-tasks N]\n"
    "                     [--uplink NAME]...\n"
    "Serves all members of GROUP (pacbench) at the socket that systemd hands over, or at a socket\n"
    "that it makes at PATH. It keeps its journal in FOLDER (/run/pacbench-netd).\n"
    "A fabric is the network of one cell of a run: its namespaces, links and switches.\n"
    "Limits, with their defaults in brackets:\n"
    "  --most-fabrics (8)                  fabrics of a user at a time\n"
    "  --most-workers (256)                workers in all fabrics of a user\n"
    "  --most-queue-mb (4096)              MB of queues in all fabrics of a user\n"
    "  --most-hours (48)                   hours that a connection may last\n"
    "  --most-namespaces-per-hour (20000)  new network namespaces of a user per hour, on average\n"
    "  --most-users (any number)           users that may have fabrics at a time\n"
    "  --most-memory-percent (any)         % of the machine's memory for all workers of a user\n"
    "  --most-tasks (any number)           processes and threads of all workers of a user\n"
    "The last two limits need a unit that delegates a cgroup.\n"
    "  --uplink NAME                       an interface of this host that links may lead to, for\n"
    "                                      runs over several hosts; may be given several times\n";

/// The daemon's command line.
struct DaemonOptions {
  int fd = -1;  ///< of the one connection to serve; -1 when it is a service
  std::optional<ServiceOptions> service;
};

/// The options; nothing when the words are not as in kUsage.
std::optional<DaemonOptions> parse_options(const std::vector<std::string>& words);

}  // namespace pacbench::netem
