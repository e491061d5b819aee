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
    "Serves all members of GROUP (pacbench) at the socket that systemd hands over, or at one that\n"
    "it makes at PATH; keeps its journal in FOLDER (/run/pacbench-netd). A user may have so many\n"
    "fabrics (8), workers in them (256) and MB of queues (4096) at a time, each for so many hours\n"
    "(48), and make so many network namespaces in an hour (20000). So many users (any number) may\n"
    "have fabrics at a time. The workers of a user may have so much of the machine's memory, and "
    "so\n"
    "many processes and threads, all together (any), where the unit delegates a cgroup.\n";

/// The daemon's command line.
struct DaemonOptions {
  int fd = -1;  ///< of the one connection to serve; -1 when it is a service
  std::optional<ServiceOptions> service;
};

/// The options; nothing when the words are not as in kUsage.
std::optional<DaemonOptions> parse_options(const std::vector<std::string>& words);

}  // namespace pacbench::netem
