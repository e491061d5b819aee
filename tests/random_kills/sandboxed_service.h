#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>

namespace pacbench {

/// The socket of the service in the sandbox of tools/random-kills and tools/churn.
inline constexpr const char* kServiceSocket = "/run/pacbench/netd.sock";

/// A process that runs the function and ends with 0, or with 1 after an exception.
pid_t start_process(const std::function<void()>& run);

/// Waits for the process and returns its wait status; nothing when it still runs after 15 s. The
/// service kills its sessions only after a longer time, so they have to end by themselves.
std::optional<int> await_end(pid_t pid);

/// Starts the service and returns once it listens; throws std::runtime_error after 20 s.
pid_t start_service();

/// Ends the service and removes what systemd would remove, so that leftovers() finds anything else.
/// If the service was `killed`, first starts another one, which must remove the journal's entries.
void end_service(pid_t service, bool killed);

}  // namespace pacbench
