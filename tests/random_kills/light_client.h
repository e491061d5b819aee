#pragma once

#include <string>

namespace pacbench {

/// A client without a harness. It makes a fabric of three workers, lets the first receive from the
/// others, and waits. It ends when one of its programs or the daemon ends, or when the other end of
/// `leave` is closed. `service` is the socket of a shared daemon; empty: it starts one of its own.
/// Once all programs are at work it writes a byte to `at_work`.
void run_light_client(const std::string& service, int at_work, int leave);

/// The names in /proc/PID/comm of the processes that the client starts.
inline constexpr const char* kDaemonComm = "pacbench-netd";
inline constexpr const char* kFirstComm = "netd-first";
inline constexpr const char* kWorkerComm = "pacbench-emulat";

}  // namespace pacbench
