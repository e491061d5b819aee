#pragma once

#include <linux/pkt_sched.h>

#include "base/route_socket.h"
#include "netem/plan/link_shape.h"

namespace pacbench::netem {

/// The kernel's options of an HTB class with this shape, without its queue. Bursts are times in
/// ticks of 64 ns, rounded to the nearest. `rate` and `ceil` are at most what 32 bits can hold.
/// Throws std::runtime_error when a burst lasts too long for its field.
tc_htb_opt htb_options(const LinkShape& shape);

/// The HTB class 1:1 that shapes a device. Its rate can be changed while packets flow.
class HtbClass {
 public:
  /// The class of a device in the calling thread's network namespace. Throws std::system_error.
  explicit HtbClass(int interface_index) : interface_index_{interface_index} {}

  /// Gives the class this shape. The class is not replaced: its tokens, its queue with the packets
  /// in it and its counters stay. Returns when the kernel has acknowledged the change. Throws
  /// std::system_error, and as htb_options() does.
  void change(const LinkShape& shape);

 private:
  RouteSocket socket_;
  int interface_index_;
};

}  // namespace pacbench::netem
