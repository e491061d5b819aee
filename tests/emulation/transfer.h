#pragma once

#include <functional>
#include <string>

#include "tests/emulation/daemon_client.h"

namespace pacbench {

inline constexpr long kBytes = 4'000'000;  ///< that every transfer moves
/// The bytes of a frame, with Ethernet, IPv4 and TCP headers (with timestamps), divided by its 1448
/// bytes of data.
inline constexpr double kFramePerPayload = 1514.0 / 1448.0;

std::string address(int worker);

/// Starts a receiver in a worker's namespace. The daemon ends it, so the destructor does not.
class Receiver {
 public:
  Receiver(DaemonClient& daemon, int slot, int senders);

  double duration_s();

 private:
  Pipe pipe_;
};

void start_sender(DaemonClient& daemon, int slot, int to);

/// A link is never faster than its rate, but a busy host can make a transfer slower. So one of the
/// attempts of 15 s must be within 5 % of the ideal, and none may be more than 5 % too fast.
void expect_ratio_of_one(const std::function<double()>& measured_over_ideal);

}  // namespace pacbench
