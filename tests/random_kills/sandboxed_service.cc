#include "tests/random_kills/sandboxed_service.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "base/subprocess.h"

namespace pacbench {
namespace {

using namespace std::chrono_literals;

constexpr const char* kState = "/run/pacbench-netd";
constexpr auto kStart = 60s;
constexpr auto kEnd = 60s;

/// Asks the kernel's table of sockets, because a socket that is bound and does not listen yet has a
/// file too, and refuses clients.
bool service_listens() {
  constexpr const char* kListens = "00010000";  // flags: __SO_ACCEPTCON
  std::ifstream sockets{"/proc/net/unix"};
  for (std::string line; std::getline(sockets, line);) {
    std::istringstream words{line};
    std::string number, references, protocol, flags;
    words >> number >> references >> protocol >> flags;
    if (line.ends_with(kServiceSocket) && flags == kListens) return true;
  }
  return false;
}

}  // namespace

pid_t start_process(const std::function<void()>& run) {
  const auto pid = check("fork", ::fork());
  if (pid > 0) return pid;
  try {
    run();
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

std::optional<int> await_end(pid_t pid) {
  const auto deadline = std::chrono::steady_clock::now() + kEnd;
  int status = 0;
  while (check("waitpid", ::waitpid(pid, &status, WNOHANG)) == 0) {
    if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
    std::this_thread::sleep_for(1ms);
  }
  return status;
}

pid_t start_service() {
  const auto pid = start_process([] {
    const auto program = own_folder() + "/pacbench-netd";
    ::execl(program.c_str(), program.c_str(), "--service", "--listen", kServiceSocket, "--group",
            "0", "--state", kState, nullptr);
  });
  const auto deadline = std::chrono::steady_clock::now() + kStart;
  while (!service_listens()) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error{"the service does not listen"};
    }
    std::this_thread::sleep_for(1ms);
  }
  return pid;
}

void end_service(pid_t service, bool killed) {
  if (killed) {
    check("waitpid", ::waitpid(service, nullptr, 0));
    service = start_service();
  }
  ::kill(service, SIGTERM);
  const auto status = await_end(service);
  if (!status) throw std::runtime_error{"the service waits still for a session to end"};
  if (*status != 0) {
    throw std::runtime_error{fmt::format("the service ended with wait status {}", *status)};
  }
  for (const char* path :
       {"/run/pacbench-netd/lock", "/run/pacbench-netd/claims.lock",
        "/run/pacbench-netd/user-0.lock", "/run/pacbench-netd/sessions", kState, "/run/pacbench"}) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
}

}  // namespace pacbench
