// Makes the largest fabric and takes it down again, as often as the time allows. All rounds go
// through one service. Then says what has grown. Runs in the sandbox of tools/churn, as its first
// process.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/unix_socket.h"
#include "tests/churn/growth.h"
#include "tests/emulation/daemon_client.h"
#include "tests/random_kills/sandboxed_service.h"

namespace {

using namespace pacbench;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kWorkers = netd::CreateRequest::kMaxWorkers;
constexpr int kSwitches = netd::CreateRequest::kMaxSwitches;
constexpr double kRate_mbit = 100;
constexpr auto kReport = 60s;
// The kernel removes namespaces from a work queue, which takes longer on a busy machine.
constexpr auto kSettle = 60s;
// Counting makes a namespace, which must have gone before the next count.
constexpr auto kBetweenCounts = 500ms;

/// A chain of switches, each with as many workers as the others.
netd::CreateRequest largest_fabric() {
  auto request = star(kWorkers, kRate_mbit);
  request.switches = kSwitches;
  for (int worker = 0; worker < kWorkers; ++worker) {
    request.workers[static_cast<std::size_t>(worker)].attached_to = worker % kSwitches;
  }
  for (int right = 1; right < kSwitches; ++right) {
    netd::Trunk trunk;
    trunk.a = right - 1;
    trunk.b = right;
    trunk.forward.rate_mbit = trunk.backward.rate_mbit = kRate_mbit;
    request.trunks.push_back(trunk);
  }
  return request;
}

bool has_children(pid_t process) {
  std::ifstream children{fmt::format("/proc/{}/task/{}/children", process, process)};
  int child = 0;
  return static_cast<bool>(children >> child);
}

/// The holdings once the session has ended and the kernel has removed its namespaces, or after
/// kSettle.
Holdings settled(pid_t service, int namespaces_before) {
  const auto deadline = Clock::now() + kSettle;
  for (; has_children(service) && Clock::now() < deadline; std::this_thread::sleep_for(10ms)) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
  for (;;) {
    std::this_thread::sleep_for(kBetweenCounts);
    const auto found = holdings_of(service);
    if (found.network_namespaces <= namespaces_before || Clock::now() > deadline) return found;
  }
}

void up_and_down(const netd::CreateRequest& request) {
  DaemonClient daemon{connect_to(kServiceSocket)};
  daemon.create(request);
  for (int slot = 0; slot < kWorkers; ++slot) {
    daemon.start_inside(slot, {"/bin/sleep", "600"}, STDERR_FILENO);
  }
}

int run(std::chrono::seconds time) {
  const auto service = start_service();
  const auto request = largest_fabric();
  std::this_thread::sleep_for(kBetweenCounts);
  const auto before = holdings_of(service);
  fmt::print("before: {}\n", to_words(before));
  std::vector<Holdings> rounds;
  const auto end = Clock::now() + time;
  auto report = Clock::now() + kReport;
  while (Clock::now() < end || rounds.size() < 3) {
    up_and_down(request);
    rounds.push_back(settled(service, before.network_namespaces));
    if (Clock::now() < report) continue;
    report += kReport;
    fmt::print("after {} rounds: {}\n", rounds.size(), to_words(rounds.back()));
    std::fflush(stdout);
  }
  fmt::print("after {} rounds: {}\n", rounds.size(), to_words(rounds.back()));
  end_service(service, false);
  const auto grown = growth(rounds);
  for (const auto& line : grown) fmt::print("grown: {}\n", line);
  fmt::print("{} rounds of {} workers on {} switches{}\n", rounds.size(), kWorkers, kSwitches,
             grown.empty() ? ", and nothing grew" : "");
  return grown.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || ::getpid() != 1) {
    fmt::print(stderr, "run tools/churn, which makes the sandbox for this\n");
    return 2;
  }
  try {
    return run(std::chrono::seconds{std::atoi(argv[1])});
  } catch (const std::exception& error) {
    fmt::print(stderr, "churn: {}\n", error.what());
    return 1;
  }
}
