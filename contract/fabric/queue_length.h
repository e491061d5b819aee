#pragma once

#include <cstdint>
#include <string>

#include "contract/fabric/fabric_spec.h"

namespace pacbench::netd {

/// True when some direction loses packets or lets them overtake each other. That must happen to
/// single packets: workers then hand no larger ones to their links.
bool needs_single_packets(const CreateRequest& request);

/// The most bytes that TCP is to put into one packet for a worker's link (GSO): those of the
/// shaper, but at least two frames.
std::int64_t gso_max_bytes(const CreateRequest& request);

/// The largest packet that a worker hands to its link: some frames in one (GSO), or a single
/// frame where packets are lost or reordered.
std::int64_t largest_packet_bytes(const CreateRequest& request);

/// The least queue that serves every flow over a direction: it drops whole packets, so each flow
/// must be able to have one in it.
std::int64_t least_queue_bytes(const CreateRequest& request, const std::string& direction);

/// The queue of a direction as declared or, where that is 0, 15 ms at its rate, but no less than
/// 256 KB and what its flows need; of a trunk no less than 1000 full frames either.
std::int64_t queue_bytes(const CreateRequest& request, const std::string& direction);

/// Why a declared queue is too short, with the arithmetic; empty when it is not.
std::string queue_shortage(const CreateRequest& request, const std::string& direction);

}  // namespace pacbench::netd
