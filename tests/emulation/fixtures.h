#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/emulation/daemon_client.h"

namespace pacbench {

/// Tests that are skipped, with the reason, where the kernel allows no network namespace.
class WithFabrics : public ::testing::Test {
 protected:
  void SetUp() override { REQUIRE_FABRIC(); }
};

/// Tests of two workers whose links carry 100 Mbit/s.
class TwoWorkers : public WithFabrics {
 protected:
  void SetUp() override {
    WithFabrics::SetUp();
    if (!IsSkipped()) created = daemon.create(star(2, 100));
  }

  DaemonClient daemon;
  netd::CreatedReply created;
};

/// Tests that become other users, which only root can.
class AsRoot : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::getuid() != 0) GTEST_SKIP() << "becomes other users, which needs root";
  }
};

}  // namespace pacbench
