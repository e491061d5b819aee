#include "tests/kernel/service_unit.h"

#include <unistd.h>

#include "base/subprocess.h"
#include "base/unix_socket.h"

namespace pacbench {

void ServiceUnit::SetUp() {
  run_checked({"systemctl", "stop", "pacbench-netd.service"});
  // systemd starts a unit only 5 times in 10 s. More tests may run in 10 s by this kernel's clock.
  run_checked({"systemctl", "reset-failed", "pacbench-netd.service"});
  run_checked({"systemctl", "start", "pacbench-netd.socket"});
}

std::string ServiceUnit::property(const std::string& name) {
  auto value = run_checked({"systemctl", "show", "--value", "--property", name, "pacbench-netd"});
  while (!value.empty() && value.back() == '\n') value.pop_back();
  return value;
}

DaemonClient ServiceUnit::connect_as(uid_t user) {
  const As as{user, {kServiceGroup}};
  return DaemonClient{connect_to(kUnitSocket)};
}

DaemonClient ServiceUnit::fabric_of(uid_t user) {
  auto client = connect_as(user);
  client.create(star(2, 100));
  return client;
}

std::string ServiceUnit::shell(DaemonClient& daemon, const std::string& script) {
  return daemon.run_inside(0, {"/bin/sh", "-c", script});
}

netd::SpawnedReply ServiceUnit::start_sleeper(DaemonClient& daemon, int slot) {
  return daemon.start_inside(slot, {"/bin/sleep", "600"}, STDERR_FILENO);
}

}  // namespace pacbench
