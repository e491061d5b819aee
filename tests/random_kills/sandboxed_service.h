#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>

namespace pacbench {

/// The socket of the service in the sandbox of tools/random-kills and tools/churn.
inline constexpr const char* kServiceSocket = "/run/pacbench/netd.sock";

/// A process that runs the function and ends with 0, or with 1 after an exception.
pid_t start_process(const std::function<void()>& run);

/// How it ended, as by waitpid; nothing when it still runs after 15 s: less than the service gives
/// its sessions before it kills them, so that they have to end by themselves.
std::optional<int> await_end(pid_t pid);

/// Returns once the service listens; throws std::runtime_error after 20 s.
pid_t start_service();

/// Ends the service and removes what systemd would remove; anything more that it leaves is found.
/// One that was `killed` is followed by another first, which must strike out the journal's entries.
void end_service(pid_t service, bool killed);

}  // namespace pacbench
