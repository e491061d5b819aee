#include "tests/random_kills/leftovers.h"

#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include "base/check.h"

namespace pacbench {
namespace {

using namespace std::chrono_literals;

// One work queue of the kernel removes the namespaces of the whole machine, some 0.1 s each. They
// wait for those of other tests, which may have made hundreds. A leak lasts for ever.
constexpr auto kSettle = 150s;
constexpr const char* kManyNamespaces = "1000";

void add_processes(std::vector<std::string>& found) {
  for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
    const auto name = entry.path().filename().string();
    const bool process = std::all_of(name.begin(), name.end(), ::isdigit);
    if (!process || name == "1") continue;
    std::string what;
    std::ifstream{entry.path() / "comm"} >> what;
    if (!what.empty()) found.push_back(fmt::format("process {} ({})", name, what));
  }
}

void add_links(std::vector<std::string>& found) {
  auto* const links = ::if_nameindex();
  for (const auto* link = links; link != nullptr && link->if_index != 0; ++link) {
    if (std::string{link->if_name} != "lo") found.push_back(fmt::format("link {}", link->if_name));
  }
  ::if_freenameindex(links);
}

/// Adds all sockets of a table but the kernel's own.
void add_sockets(std::vector<std::string>& found, const char* table) {
  std::ifstream lines{table};
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words{line};
    std::string address, protocol, port;
    words >> address >> protocol >> port;
    const bool of_kernel = std::string_view{table}.ends_with("netlink") && port == "0";
    if (!of_kernel) found.push_back(fmt::format("socket in {}: {}", table, line));
  }
}

void add_files(std::vector<std::string>& found) {
  for (const char* folder : {"/run", "/tmp", "/dev/shm"}) {
    std::error_code vanished;  // of a folder, while its owner ends
    std::filesystem::recursive_directory_iterator entry{folder, vanished};
    for (; !vanished && entry != end(entry); entry.increment(vanished)) {
      found.push_back("file " + entry->path().string());
    }
    if (vanished) found.push_back(std::string{"a file that vanishes in "} + folder);
  }
}

/// Whether one more namespace can be made where `most` are allowed. The kernel counts those that no
/// process is in, too.
bool fits(const std::string& limit, int most, int kind) {
  std::ofstream{"/proc/sys/user/" + limit} << most;
  const auto pid = check("fork", ::fork());
  if (pid == 0) ::_exit(::unshare(kind) == 0 ? 0 : 1);
  int status = 0;
  check("waitpid", ::waitpid(pid, &status, 0));
  std::ofstream{"/proc/sys/user/" + limit} << kManyNamespaces;
  return status == 0;
}

bool only_ours(const std::string& limit, int kind) { return fits(limit, 2, kind); }

}  // namespace

std::vector<std::string> leftovers() {
  std::vector<std::string> found;
  add_processes(found);
  add_links(found);
  for (const char* table : {"/proc/net/unix", "/proc/net/netlink", "/proc/net/tcp"}) {
    add_sockets(found, table);
  }
  add_files(found);
  if (!found.empty()) return found;  // a process would hold its namespaces
  if (!only_ours("max_net_namespaces", CLONE_NEWNET)) found.emplace_back("network namespaces");
  if (!only_ours("max_pid_namespaces", CLONE_NEWPID)) found.emplace_back("PID namespaces");
  return found;
}

int count_namespaces(const std::string& limit, int kind) {
  int count = 1;
  while (!fits(limit, count + 1, kind)) ++count;
  return count;
}

std::vector<std::string> leftovers_in_the_end() {
  const auto deadline = std::chrono::steady_clock::now() + kSettle;
  for (;;) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    auto found = leftovers();
    if (found.empty() || std::chrono::steady_clock::now() > deadline) return found;
    std::this_thread::sleep_for(10ms);
  }
}

}  // namespace pacbench
