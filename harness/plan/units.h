#pragma once

#include <string>

namespace pacbench::plan {

/// Reads a rate as tc and people write it: "100mbit", "1.5 Gbit/s", "500kbps", "12.5 MB/s". Returns
/// Mbit/s (10^6 bits). A capital B before "/s" or "ps" means bytes; tc's own "mbps", which also
/// means bytes there, is taken as bits, as most people mean it. Throws std::invalid_argument saying
/// what was found and what is expected, also for a number without a unit.
double rate_mbit(const std::string& text);

/// Reads a time: "20ms", "0.2 s", "150us". Returns milliseconds. Throws as rate_mbit().
double time_ms(const std::string& text);

/// Reads a share: "0.1%". Returns 0.001. Throws as rate_mbit().
double share_of_percent(const std::string& text);

}  // namespace pacbench::plan
