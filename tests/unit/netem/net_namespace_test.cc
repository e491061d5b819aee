// What the kernel does in a network namespace of the test's own.
#include "netem/kernel/net_namespace.h"

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "base/errors.h"
#include "netem/kernel/iproute2.h"
#include "netem/plan/shapes.h"
#include "netem/plan/tcp_buffers.h"
#include "netem/session/process_namespace.h"
#include "tests/unit/contract/matchers.h"

namespace pacbench::netem {
namespace {

TEST(InitialNamespace, IsRefused) {
  std::error_code hidden;
  const auto first = std::filesystem::read_symlink("/proc/1/ns/net", hidden);
  if (!hidden && first == std::filesystem::read_symlink("/proc/thread-self/ns/net")) {
    EXPECT_THROW(refuse_initial_namespace(), std::runtime_error);
  }
}

class OwnNamespace : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      own_.emplace(NetNamespace::create());
    } catch (const std::system_error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  std::optional<NetNamespace> own_;
};

TEST_F(OwnNamespace, IsNotRefusedAsTheInitialOne) {
  const auto inside = own_->enter();
  EXPECT_NO_THROW(refuse_initial_namespace());
}

TEST_F(OwnNamespace, AloneHasItsTcpBuffers) {
  const Sysctl wanted{"net.ipv4.tcp_rmem", "4096 131072 20000000"};
  {
    const auto inside = own_->enter();
    set_sysctl(wanted);
    EXPECT_EQ(read_sysctl(wanted), wanted.value);
  }
  EXPECT_NE(read_sysctl(wanted), wanted.value);
}

TEST_F(OwnNamespace, RefusesDeviceCommandsWhereSomebodyElseHasAQdisc) {
  const auto inside = own_->enter();
  const auto run = [](std::vector<std::string> lines) {
    run_batch({Batch::kSwitch, "tc", std::move(lines)}, "a test's namespace");
  };
  const auto shaping = shaping_lines("lo", LinkShape::for_rate(100, {}, 262'144));
  run({"qdisc add dev lo root handle 5: bfifo limit 10000"});
  EXPECT_THROW(run(shaping), CommandFailed);
  run({"qdisc del dev lo root", "qdisc add dev lo clsact"});
  EXPECT_THROW(run({"qdisc add dev lo handle ffff: ingress"}), CommandFailed);
  EXPECT_NO_THROW(run(shaping));
}

TEST(Privilege, SaysWhatToDoWhereTheKernelRefusesNamespaces) {
  EXPECT_THAT(cure({true, true}), HasSubstr("docker run --cap-add SYS_ADMIN"));
  EXPECT_THAT(cure({false, true}),
              HasSubstr("sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"));
  EXPECT_THAT(cure({false, false, true}), HasSubstr("kernel.unprivileged_userns_clone=1"));
  EXPECT_THAT(cure({false, false, false, true}), HasSubstr("user.max_user_namespaces=10000"));
  EXPECT_THAT(cure({}), HasSubstr("sudo pacbench"));
}

}  // namespace
}  // namespace pacbench::netem
