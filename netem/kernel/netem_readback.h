#pragma once

#include <map>
#include <string>

#include "base/route_socket.h"
#include "netem/plan/netem_shape.h"

struct nlattr;

namespace pacbench::netem {

/// The settings of a netem qdisc, from the options in the kernel's answer.
NetemShape read_netem(const nlattr* options);

/// Returns the name of the device to which the ingress qdisc of the device `interface_index`
/// redirects all that this device receives. `names` holds the devices' names by index. Several
/// filters give a list, and none gives an empty result. A filter that does anything else gives
/// "something else".
std::string read_redirect(RouteSocket& socket, int interface_index,
                          const std::map<int, std::string>& names);

}  // namespace pacbench::netem
