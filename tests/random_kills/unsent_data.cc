// Ends a session while two programs send to each other over slow links. The RST segments that would
// end their connections wait in queues and go with the links. So the kernel keeps the unsent data,
// and with them their network namespaces, until it gives up. Prints how long that took. Runs in the
// sandbox of tools/common.sh, as its first process.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/check.h"
#include "base/clock.h"
#include "tests/emulation/daemon_client.h"
#include "tests/random_kills/leftovers.h"
#include "tests/random_kills/sandboxed_service.h"

namespace {

using namespace pacbench;
using namespace std::chrono_literals;

constexpr int kWorkers = 2;
constexpr double kRate_mbit = 1;
constexpr const char* kEndless = "1000000000000";
// Linux gives up after 102 s by default, with the fabric's setting after 6 to 13 s.
constexpr double kMost_s = 40;

/// Starts two endless transfers, one each way, and ends without waiting for them.
void send_both_ways() {
  DaemonClient daemon{{}, own_folder() + "/pacbench-netd"};
  daemon.create(star(kWorkers, kRate_mbit));
  const auto probe = own_folder() + "/pacbench-emulation-probe";
  for (int slot = 0; slot < kWorkers; ++slot) {
    auto listening = Pipe::create();
    daemon.start_inside(slot, {probe, "receive", "1", kEndless}, listening.write.get());
    listening.write.reset();
    char byte = 0;
    if (::read(listening.read.get(), &byte, 1) != 1) ::_exit(1);
  }
  for (int slot = 0; slot < kWorkers; ++slot) {
    const auto peer = fmt::format("10.77.0.{}", kWorkers - slot);
    daemon.start_inside(slot, {probe, "send", peer, kEndless}, STDERR_FILENO);
  }
  std::this_thread::sleep_for(1s);
}

int run() {
  const auto status = await_end(start_process(send_both_ways));
  if (status != 0) {
    fmt::print("found no transfers: the client ended with {}\n", status.value_or(-1));
    return 1;
  }
  const auto start_ns = monotonic_ns();
  const auto left = leftovers_in_the_end();
  const auto took_s = seconds(monotonic_ns() - start_ns);
  for (const auto& line : left) fmt::print("left: {}\n", line);
  fmt::print("network namespaces went after {:.1f} s\n", took_s);
  return left.empty() && took_s < kMost_s ? 0 : 1;
}

}  // namespace

int main() {
  if (::getpid() != 1) {
    fmt::print(stderr, "run this in the sandbox of tools/common.sh\n");
    return 2;
  }
  return run();
}
