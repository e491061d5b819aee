// `pacbench doctor --clean` removes what is left over, and nothing else.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "base/check.h"
#include "base/unix_socket.h"
#include "harness/doctor/leftovers.h"
#include "tests/emulation/fixtures.h"
#include "tests/emulation/service_fixture.h"

namespace pacbench {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Leftovers = AsRoot;

void enter(const std::string& state, const ProcessIdentity& process, uid_t owner) {
  const auto path = netd::session_path(state, process.pid);
  std::ofstream{path} << to_json(netd::SessionEntry{process, kAlice, 2}).dump();
  check("chown", ::chown(path.c_str(), owner, static_cast<gid_t>(-1)));
}

void remove_all(const doctor::Leftovers& leftovers) {
  for (const auto& item : leftovers.items()) doctor::Leftovers::remove(item);
}

TEST_F(Leftovers, AreWhatAKilledServiceCouldNotTakeAway) {
  ServiceFixture service;
  ASSERT_TRUE(service.journal_empties());
  service.kill();
  const auto orphan = sleeper_of(kServiceUser);
  enter(service.state(), ProcessIdentity::of(orphan.pid()).value(), kServiceUser);
  const doctor::Leftovers leftovers{service.state(), service.socket_path()};
  EXPECT_FALSE(leftovers.in_use());
  EXPECT_THAT(leftovers.items(), SizeIs(2));
  const auto says = [](const std::string& words) {
    return Contains(Field(&doctor::Leftovers::Item::what, HasSubstr(words)));
  };
  EXPECT_THAT(leftovers.items(), says(fmt::format("process {} of a daemon", orphan.pid())));
  EXPECT_THAT(leftovers.items(), says("at which nobody listens"));
  EXPECT_TRUE(ProcessIdentity::of(orphan.pid()).has_value()) << "looking removes nothing";
  remove_all(leftovers);
  EXPECT_FALSE(ProcessIdentity::of(orphan.pid()).has_value());
  EXPECT_NE(::access(service.socket_path().c_str(), F_OK), 0);
  EXPECT_THAT(service.journal(), IsEmpty());
}

TEST_F(Leftovers, AProcessThatCannotBeProvedToBeItsOwnIsLeftAlone) {
  ServiceFixture service;
  service.kill();
  const auto later = sleeper_of(kServiceUser);
  auto earlier = ProcessIdentity::of(later.pid()).value();
  --earlier.start_ticks;  // another process had this number when the entry was written
  enter(service.state(), earlier, kServiceUser);
  const auto of_bob = sleeper_of(kBob);
  enter(service.state(), ProcessIdentity::of(of_bob.pid()).value(), kServiceUser);
  remove_all(doctor::Leftovers{service.state(), service.socket_path()});
  EXPECT_TRUE(ProcessIdentity::of(later.pid()).has_value());
  EXPECT_TRUE(ProcessIdentity::of(of_bob.pid()).has_value()) << "an entry is no right to kill";
  EXPECT_THAT(service.journal(), IsEmpty());
}

TEST_F(Leftovers, NothingOfARunningServiceIsOne) {
  ServiceFixture service;
  auto alice = service.fabric_of(kAlice);
  const doctor::Leftovers leftovers{service.state(), service.socket_path()};
  EXPECT_TRUE(leftovers.in_use());
  EXPECT_THAT(leftovers.items(), IsEmpty());
}

TEST_F(Leftovers, AnotherUsersSocketIsLeftAlone) {
  ServiceFixture service;
  service.stop();
  const auto path = service.state() + "/../theirs.sock";
  bind_to(unix_socket().get(), path);
  EXPECT_THAT((doctor::Leftovers{service.state(), path}.items()), IsEmpty());
}

TEST_F(Leftovers, WhereThereNeverWasAServiceThereAreNone) {
  const TemporaryFolder folder;
  const doctor::Leftovers leftovers{folder.path() + "/none", folder.path() + "/none.sock"};
  EXPECT_FALSE(leftovers.in_use());
  EXPECT_THAT(leftovers.items(), IsEmpty());
}

}  // namespace
}  // namespace pacbench
