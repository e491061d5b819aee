#include "tests/random_kills/light_client.h"

#include <poll.h>
#include <unistd.h>

#include <array>

#include "base/check.h"
#include "base/unix_socket.h"
#include "tests/emulation/daemon_client.h"

namespace pacbench {
namespace {

constexpr int kWorkers = 3;
constexpr int kForever = -1;
constexpr const char* kEndless = "1000000000000";

DaemonClient daemon_at(const std::string& service) {
  if (service.empty()) return DaemonClient{{}, own_folder() + "/pacbench-netd"};
  return DaemonClient{connect_to(service)};
}

void await_byte(int pipe) {
  char byte = 0;
  if (::read(pipe, &byte, 1) != 1) throw std::runtime_error{"a worker has not started"};
}

}  // namespace

void run_light_client(const std::string& service, int at_work, int leave) {
  auto daemon = daemon_at(service);
  daemon.create(star(kWorkers, 100));
  const auto probe = own_folder() + "/pacbench-emulation-probe";
  auto listening = Pipe::create();
  daemon.start_inside(0, {probe, "receive", std::to_string(kWorkers - 1), kEndless},
                      listening.write.get());
  listening.write.reset();
  await_byte(listening.read.get());
  for (int slot = 1; slot < kWorkers; ++slot) {
    daemon.start_inside(slot, {probe, "send", "10.77.0.1", kEndless}, STDERR_FILENO);
  }
  // Two processes, one of them in a session of its own; nothing waits for their ends.
  auto holding = Pipe::create();
  daemon.start_inside(1, {probe, "hold"}, holding.write.get());
  holding.write.reset();
  await_byte(holding.read.get());
  check("write", ::write(at_work, "1", 1));
  // From here on the connection becomes readable only at the end of a worker or of the daemon.
  std::array<pollfd, 2> ends{{{daemon.connection().fd(), POLLIN, 0}, {leave, POLLIN, 0}}};
  check("poll", ::poll(ends.data(), ends.size(), kForever));
}

}  // namespace pacbench
