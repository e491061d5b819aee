#pragma once

#include <linux/pkt_sched.h>

#include "base/route_socket.h"
#include "netem/plan/shapes.h"

namespace pacbench::netem {

/// The kernel's options of an HTB class with this shape, without its queue. Bursts are times in
/// ticks of 64 ns, rounded to the nearest. `rate` and `ceil` are at most what 32 bits can hold.
/// Throws std::runtime_error when a burst lasts too long for its field.
tc_htb_opt htb_options(const LinkShape& shape);

/// Gives this shape to the HTB class 1:1 that shapes a device of the socket's namespace, while
/// packets flow. The class is not replaced: its tokens, its queue with the packets in it and its
/// counters stay. Returns when the kernel has acknowledged the change. Throws std::system_error,
/// and as htb_options() does.
void change_htb_class(RouteSocket& socket, int interface_index, const LinkShape& shape);

}  // namespace pacbench::netem
