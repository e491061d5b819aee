#include "base/process_identity.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

#include "base/check.h"
#include "base/readable.h"
#include "base/unique_fd.h"

namespace pacbench {

std::optional<ProcessIdentity> ProcessIdentity::of(pid_t pid) {
  std::ifstream file{fmt::format("/proc/{}/stat", pid)};
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  // The second field is the name in parentheses. It may hold any character, so the last parenthesis
  // of the line is its end.
  std::istringstream fields{line.substr(line.rfind(')') + 1)};
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  constexpr int kBetween = 18;  // state is the third field, the start the twenty-second
  std::string skipped;
  for (int i = 0; i < kBetween; ++i) fields >> skipped;
  ProcessIdentity identity{pid, 0};
  if (!(fields >> identity.start_ticks)) return std::nullopt;
  return identity;
}

bool end_process(const ProcessIdentity& process, int timeout_ms) {
  const UniqueFd handle{static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0))};
  // The handle belongs to the process that has the number at this moment, so the identity is
  // compared only after the handle is open.
  if (!handle && errno == ESRCH) return true;
  check("pidfd_open", handle.get());
  if (!process.running()) return true;
  const auto sent = ::syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
  if (sent < 0 && errno == ESRCH) return true;
  check("kill", sent);
  return readable(handle.get(), timeout_ms);
}

}  // namespace pacbench
