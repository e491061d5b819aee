// Links that lead to the host's own interfaces: who may have them.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "tests/emulation/fixtures.h"
#include "tests/emulation/service_fixture.h"

namespace pacbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Uplink = AsRoot;

/// No host has an interface of this name.
constexpr const char* kAbsent = "pacbench-none0";

std::string refusal(DaemonClient& client, const std::string& interface) {
  auto request = star(2, 100);
  request.uplink = {0, interface, interface, 7};
  return client.ask(to_json(request)).value("message", "not refused");
}

TEST_F(Uplink, AServiceRefusesInterfacesThatItsAdministratorHasNotNamed) {
  const ServiceFixture service{{"--uplink", kAbsent}};
  auto alice = service.connect(kAlice);
  EXPECT_THAT(refusal(alice, "lo"),
              AllOf(HasSubstr("lead to lo"), HasSubstr(kAbsent), HasSubstr("--uplink lo")));
  EXPECT_NO_THROW(alice.create(star(2, 100))) << "links of its own are no matter of the host's";
  const ServiceFixture without;
  auto bob = without.connect(kBob);
  EXPECT_THAT(refusal(bob, "lo"), HasSubstr("--uplink"));
}

TEST_F(Uplink, OnAnInterfaceThatIsNotThereFailsInTheKernelsWordsAndLeavesNothing) {
  const ServiceFixture service{{"--uplink", kAbsent}};
  DaemonClient private_one;  // of root, which may use any interface
  auto alice = service.connect(kAlice);
  for (auto* daemon : {&alice, &private_one}) {
    EXPECT_THAT(refusal(*daemon, kAbsent), AllOf(HasSubstr(kAbsent), HasSubstr("macvlan")));
    EXPECT_NO_THROW(daemon->create(star(2, 100)));
  }
}

TEST_F(Uplink, TheRootUserOfAUserNamespaceHasNone) {
  // A folder where that user can read the program.
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  std::filesystem::copy(PACBENCH_NETD, folder.path());
  DaemonClient daemon{{"setpriv", "--reuid", "64100", "--regid", "64100", "--clear-groups"},
                      folder.path() + "/pacbench-netd"};
  EXPECT_THAT(refusal(daemon, "lo"), HasSubstr("need root"));
}

}  // namespace
}  // namespace pacbench
