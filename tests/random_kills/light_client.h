#pragma once

#include <string>

namespace pacbench {

/// A client without a harness: makes a fabric of three workers, has the first receive from the
/// others, and waits. Ends when one of its programs or the daemon ends, or when the other end of
/// `leave` is closed. `service`: the socket of a daemon to share; empty: one of its own. Once all
/// are at work it writes a byte to `at_work`.
void run_light_client(const std::string& service, int at_work, int leave);

/// The names by which the kernel knows what it starts, for /proc/PID/comm.
inline constexpr const char* kDaemonComm = "pacbench-netd";
inline constexpr const char* kFirstComm = "netd-first";
inline constexpr const char* kWorkerComm = "pacbench-emulat";

}  // namespace pacbench
