#pragma once

#include <map>
#include <string>

#include "base/route_socket.h"
#include "netem/plan/netem_shape.h"

struct nlattr;

namespace pacbench::netem {

/// The settings of a netem qdisc, from the options in the kernel's answer.
NetemShape read_netem(const nlattr* options);

/// The device to which an ingress qdisc redirects all that a device receives: its name out of
/// `names`, by index. With several filters a list; "something else" for a filter that does anything
/// else; empty without a filter.
std::string read_redirect(RouteSocket& socket, int interface_index,
                          const std::map<int, std::string>& names);

}  // namespace pacbench::netem
