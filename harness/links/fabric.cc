#include "harness/links/fabric.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unix_socket.h"
#include "contract/fabric/session_entry.h"
#include "harness/machine/process.h"

namespace pacbench::links {
namespace {

// Setting up 128 workers on a busy host takes seconds; a daemon silent for a minute hangs.
constexpr std::chrono::seconds kAnswerTime{60};
constexpr std::chrono::seconds kTeardownTime{20};

bool is_socket(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode);
}

}  // namespace

std::string choose_daemon(const std::string& choice, const std::string& program) {
  if (choice == "private") return program;
  if (choice != "auto") {
    if (is_socket(choice)) return choice;
    throw ConfigError{
        "--daemon",
        {{"",
          fmt::format("found {}, expected auto, private or the socket of a running pacbench-netd",
                      choice)}}};
  }
  if (::geteuid() == 0 || !is_socket(netd::kServiceSocket)) return program;
  try {
    connect_to(netd::kServiceSocket);
    return netd::kServiceSocket;
  } catch (const std::system_error&) {
    return program;  // this user is not in the socket's group, or nobody listens
  }
}

netd::Daemon daemon_at(const std::string& path) {
  netd::Daemon daemon{path, is_socket(path), kAnswerTime, kTeardownTime};
  if (daemon.shared) return daemon;
  daemon.environment = minimal_environment();
  daemon.log = memory_file("pacbench-netd.log", 0);
  daemon.quote = [](int log) { return last_lines(text_in(log), 5); };
  return daemon;
}

Fabric::Fabric(const std::string& daemon, const netd::CreateRequest& request)
    : client_{daemon_at(daemon)}, created_{client_.create(request)} {}

const netd::ClusterNode& Fabric::node(int slot) const {
  return created_.nodes.at(static_cast<std::size_t>(slot));
}

std::string Fabric::address(int slot) const {
  return spans_hosts() ? node(slot).address : netd::worker_address(slot);
}

std::string Fabric::interface(int slot) const {
  return spans_hosts() ? node(slot).interface : "eth0";
}

std::string Fabric::control_address(int slot) const {
  return spans_hosts() ? node(slot).control_address : netd::control_address(slot);
}

}  // namespace pacbench::links
