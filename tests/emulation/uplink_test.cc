// Links that lead to the host's own interfaces: who may have them.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "tests/emulation/service_fixture.h"

namespace pacbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// No host has an interface of this name.
constexpr const char* kAbsent = "pacbench-none0";

std::string refusal(DaemonClient& client, const std::string& interface) {
  auto request = star(2, 100);
  request.uplink = {0, interface, interface, 7};
  return client.ask(to_json(request)).value("message", "not refused");
}

TEST(Uplink, AServiceRefusesInterfacesThatItsAdministratorHasNotNamed) {
  REQUIRE_ROOT();
  const ServiceFixture service{{"--uplink", kAbsent}};
  auto alice = service.connect(kAlice);
  EXPECT_THAT(refusal(alice, "lo"),
              AllOf(HasSubstr("lead to lo"), HasSubstr(kAbsent), HasSubstr("--uplink lo")));
  EXPECT_NO_THROW(alice.create(star(2, 100))) << "links of its own are no matter of the host's";
}

TEST(Uplink, AServiceWithoutSuchInterfacesRefusesAll) {
  REQUIRE_ROOT();
  const ServiceFixture service;
  auto alice = service.connect(kAlice);
  EXPECT_THAT(refusal(alice, "lo"), HasSubstr("--uplink"));
}

TEST(Uplink, OnAnInterfaceThatIsNotThereFailsInTheKernelsWordsAndLeavesNothing) {
  REQUIRE_ROOT();
  const ServiceFixture service{{"--uplink", kAbsent}};
  auto alice = service.connect(kAlice);
  EXPECT_THAT(refusal(alice, kAbsent), AllOf(HasSubstr(kAbsent), HasSubstr("macvlan")));
  EXPECT_NO_THROW(alice.create(star(2, 100)));
}

TEST(Uplink, TheRootUserOfAUserNamespaceHasNone) {
  REQUIRE_ROOT();
  // A folder where that user can read the program.
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  std::filesystem::copy(PACBENCH_NETD, folder.path());
  DaemonClient daemon{{"setpriv", "--reuid", "64100", "--regid", "64100", "--clear-groups"},
                      folder.path() + "/pacbench-netd"};
  EXPECT_THAT(refusal(daemon, "lo"), HasSubstr("need root"));
}

TEST(Uplink, APrivateDaemonOfRootMayUseAnyInterface) {
  REQUIRE_ROOT();
  DaemonClient daemon;
  EXPECT_THAT(refusal(daemon, kAbsent), AllOf(HasSubstr(kAbsent), HasSubstr("macvlan")));
}

}  // namespace
}  // namespace pacbench
