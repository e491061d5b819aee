#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <string>

#include "tests/emulation/service_fixture.h"

namespace pacbench {

inline constexpr const char* kUnitSocket = "/run/pacbench/netd.sock";
inline constexpr const char* kUnitState = "/run/pacbench-netd";
inline constexpr const char* kUnitCgroup = "/sys/fs/cgroup/system.slice/pacbench-netd.service";
/// The emulation probe, where tests/kernel/under-systemd puts it.
inline constexpr const char* kUnitProbe = "/run/programs/pacbench-emulation-probe";

/// Tests of the service as systemd runs it from its unit, under a second kernel
/// (tests/kernel/under-systemd). Nobody else uses this kernel's units.
class ServiceUnit : public ::testing::Test {
 protected:
  /// Each test begins with the service stopped and its socket listening.
  void SetUp() override;

  /// A property of the service, as systemctl shows it.
  static std::string property(const std::string& name);
  /// Connects to the service as `user`, with the service's group for this call.
  static DaemonClient connect_as(uid_t user);
  /// Connects as `user`, and makes a fabric of two workers.
  static DaemonClient fabric_of(uid_t user);
  /// Runs a script in worker 0's namespace to its end, and returns what it wrote to stdout.
  static std::string shell(DaemonClient& daemon, const std::string& script);
  static netd::SpawnedReply start_sleeper(DaemonClient& daemon, int slot = 0);
};

/// Tests of what two users of that service can do to each other.
class ServiceAttacks : public ServiceUnit {};

}  // namespace pacbench
