#pragma once

#include <cstdint>
#include <string>

#include "contract/fabric/fabric_spec.h"

namespace pacbench::netd {

/// True when workers hand only packets of one frame to their links: where some direction has loss
/// or reordering, which must happen to single packets, and where the shaper says so.
bool needs_single_packets(const CreateRequest& request);

/// The most bytes that TCP may put into one packet for a worker's link (GSO). These are the
/// shaper's gso_max_bytes, but at least two MTUs and at most 65536.
std::int64_t gso_max_bytes(const CreateRequest& request);

/// The bytes of the largest packet that a worker hands to its link. It has several frames (GSO), or
/// a single one where needs_single_packets() says so.
std::int64_t largest_packet_bytes(const CreateRequest& request);

/// The bytes of the shortest queue that serves every flow over a direction. A queue drops whole
/// packets, so it must have room for one packet of each flow.
std::int64_t least_queue_bytes(const CreateRequest& request, const std::string& direction);

/// The bytes of a direction's queue. Where the request declares none, the queue has room for what
/// the direction's rate carries in 15 ms, but for at least 256 KiB and for what its flows need. An
/// undeclared queue of a trunk also has room for 1000 full frames.
std::int64_t queue_bytes(const CreateRequest& request, const std::string& direction);

/// Says why a declared queue is too short, with the arithmetic; empty when it is long enough.
std::string queue_shortage(const CreateRequest& request, const std::string& direction);

}  // namespace pacbench::netd
