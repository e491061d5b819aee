#pragma once

#include <cstdint>
#include <string>

namespace pacbench {

/// The number of segments that TCP has sent again in the calling thread's network namespace, since
/// the namespace was made. Throws std::system_error or std::runtime_error when the kernel does not
/// report the number.
std::int64_t retransmitted_segments();

/// Reads that number out of `snmp`: the text of /proc/net/snmp, which has a line of names before
/// each line of values. Throws std::runtime_error when the text lacks the number.
std::int64_t retransmitted_segments(const std::string& snmp);

}  // namespace pacbench
