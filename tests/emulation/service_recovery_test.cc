// A shared daemon that dies leaves nothing behind, and knows its sessions when it starts again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "base/check.h"
#include "contract/fabric/session_entry.h"
#include "tests/emulation/fixtures.h"
#include "tests/emulation/service_fixture.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using ServiceRecovery = AsRoot;

void enter(const ServiceFixture& service, const ProcessIdentity& process) {
  std::ofstream{netd::session_path(service.state(), process.pid)}
      << to_json(netd::SessionEntry{process, kAlice, 2}).dump();
}

/// The journal's entries of sessions that have a fabric.
std::vector<netd::SessionFile> sessions_of(const ServiceFixture& service) {
  auto files = netd::read_sessions(service.state());
  std::erase_if(files, [](const auto& file) { return !file.entry || file.entry->workers == 0; });
  return files;
}

TEST_F(ServiceRecovery, SigkillEndsAllThatItServedAndTheNextOneStartsClean) {
  ServiceFixture service;
  auto alice = service.connect(kAlice);
  auto bob = service.connect(kBob);
  std::vector<pid_t> workers;
  for (auto* user : {&alice, &bob}) {
    user->create(star(2, 100));
    for (const int slot : {0, 1}) {
      workers.push_back(user->start_inside(slot, {"/bin/sleep", "60"}, STDERR_FILENO).pid);
    }
  }
  const auto sessions = sessions_of(service);
  ASSERT_THAT(sessions, SizeIs(2));
  service.kill();
  for (const auto pid : workers) EXPECT_TRUE(ends(pid));
  for (const auto& session : sessions) EXPECT_TRUE(ends(session.entry->process.pid));
  EXPECT_TRUE(alice.next().is_null()) << "the connection has ended";
  EXPECT_THAT(sessions_of(service), SizeIs(2)) << "nobody was left to strike them out";
  service.start();
  EXPECT_TRUE(service.journal_empties());
  EXPECT_NO_THROW(service.fabric_of(kAlice));
}

TEST_F(ServiceRecovery, EndsWhatIsProvablyItsOwnAndNothingElse) {
  ServiceFixture service;
  service.kill();
  const auto orphan = sleeper_of(kServiceUser);
  const auto innocent = sleeper_of(kServiceUser);
  enter(service, ProcessIdentity::of(orphan.pid()).value());
  auto earlier = ProcessIdentity::of(innocent.pid()).value();
  --earlier.start_ticks;  // another process had this number when the entry was written
  enter(service, earlier);
  std::ofstream{service.state() + "/sessions/9.json"} << "{\"pid\": ";
  service.start();
  EXPECT_FALSE(ProcessIdentity::of(orphan.pid()).has_value());
  EXPECT_TRUE(ProcessIdentity::of(innocent.pid()).has_value());
  EXPECT_TRUE(service.journal_empties());
}

TEST_F(ServiceRecovery, SigtermEndsEverythingInOrder) {
  ServiceFixture service;
  auto alice = service.fabric_of(kAlice);
  const auto worker = alice.start_inside(0, {"/bin/sleep", "60"}, STDERR_FILENO).pid;
  EXPECT_TRUE(service.stop().ok());
  EXPECT_TRUE(ends(worker));
  EXPECT_THAT(alice.next().value("message", ""), HasSubstr("told to stop"));
  EXPECT_THAT(service.journal(), IsEmpty());
  EXPECT_NE(::access(service.socket_path().c_str(), F_OK), 0);
}

TEST_F(ServiceRecovery, AConnectionThatDiesIsStruckOutAndTheServiceGoesOn) {
  const ServiceFixture service;
  auto alice = service.fabric_of(kAlice);
  const auto sessions = sessions_of(service);
  ASSERT_THAT(sessions, SizeIs(1));
  ::kill(sessions[0].entry->process.pid, SIGKILL);
  EXPECT_TRUE(alice.next().is_null());
  EXPECT_TRUE(ends(sessions[0].entry->process.pid));
  EXPECT_NO_THROW(service.fabric_of(kBob));
}

}  // namespace
}  // namespace pacbench
