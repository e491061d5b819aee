// The harness as the client of a daemon that several users share.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>

#include <fstream>

#include "base/check.h"
#include "base/readable.h"
#include "harness/doctor/doctor.h"
#include "harness/links/fabric.h"
#include "harness/machine/process.h"
#include "tests/emulation/fixtures.h"
#include "tests/emulation/service_fixture.h"

namespace pacbench {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

using ServiceClient = AsRoot;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

/// Runs a program in worker 0's namespace, and returns its standard output.
std::string run_in(links::Fabric& fabric, const std::vector<std::string>& argv) {
  auto out = Pipe::create();
  fabric.spawn({0, argv, minimal_environment()}, {STDIN_FILENO, out.write.get(), STDERR_FILENO});
  out.write.reset();
  return read_to_end(out.read.get());
}

/// Moves this process into a mount namespace of its own, in which the file /mnt/there says "hello".
void mount_own_file() {
  check("unshare", ::unshare(CLONE_NEWNS));
  check("mount /", ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
  check("mount /mnt", ::mount("none", "/mnt", "tmpfs", 0, nullptr));
  std::ofstream{"/mnt/there"} << "hello";
}

TEST_F(ServiceClient, ProgramsRunAsTheUserInTheirOwnViewOfTheFiles) {
  const ServiceFixture service;
  mount_own_file();
  const As alice{kAlice, {kServiceGroup}};
  links::Fabric fabric{service.socket_path(), netd::star(2, 100)};
  EXPECT_EQ(fabric.created().privilege, "service");
  EXPECT_EQ(run_in(fabric, {"/usr/bin/id", "-u"}), "64100\n");
  EXPECT_EQ(run_in(fabric, {"/bin/cat", "/mnt/there"}), "hello");
  EXPECT_EQ(fabric.counters().deviations.size(), 0U);
}

TEST_F(ServiceClient, WaitsAtTheEndUntilAllHasGone) {
  const ServiceFixture service{{"--most-fabrics", "1"}};
  for (int cell = 0; cell < 3; ++cell) {
    int pid = 0;
    {
      const As alice{kAlice, {kServiceGroup}};
      links::Fabric fabric{service.socket_path(), netd::star(2, 100)};
      pid = fabric.spawn({0, {"/bin/sleep", "60"}, {}}, {0, 1, 2}).pid;
    }
    EXPECT_NE(::kill(pid, 0), 0) << "cell " << cell;
  }
}

TEST_F(ServiceClient, ASocketOutOfReachIsNamedAndARefusalIsTheServicesOwnWords) {
  const ServiceFixture service;
  const auto path = service.socket_path();
  const auto choose = [&] {
    const As mallory{kMallory, {}};
    links::choose_daemon(path, "/bin/program");
  };
  EXPECT_THAT(error_of(choose), HasSubstr(path));
  service.open_to_all();
  const As mallory{kMallory, {}};
  EXPECT_THAT(error_of([&] {
                links::Fabric{path, netd::star(2, 100)};
              }),
              HasSubstr("is not in the group"));
}

TEST_F(ServiceClient, TheEndOfTheServiceIsNoticedAndSaysWhereToLook) {
  ServiceFixture service;
  links::Fabric fabric{service.socket_path(), netd::star(2, 100)};
  service.kill();
  EXPECT_TRUE(readable(fabric.fd(), 5000));
  EXPECT_THAT(error_of([&] { fabric.take_exited(); }), HasSubstr("journalctl"));
}

TEST_F(ServiceClient, ItsStopIsToldInItsWords) {
  ServiceFixture service;
  links::Fabric fabric{service.socket_path(), netd::star(2, 100)};
  service.stop();
  EXPECT_THAT(error_of([&] { fabric.take_exited(); }), HasSubstr("told to stop"));
}

TEST_F(ServiceClient, TheDoctorFindsTheDaemonByItsSocket) {
  const ServiceFixture service;
  Programs programs;
  programs.daemon = service.socket_path();
  using doctor::Finding;
  EXPECT_THAT(doctor::examine_machine(programs),
              Contains(AllOf(Field(&Finding::what, "pacbench-netd"), Field(&Finding::ok, true),
                             Field(&Finding::found, service.socket_path()))));
}

TEST(DaemonChoice, IsWhatWasSaidAndForRootAPrivateOne) {
  EXPECT_EQ(links::choose_daemon("private", "/bin/program"), "/bin/program");
  EXPECT_THAT(error_of([] { links::choose_daemon("/etc/passwd", "/bin/program"); }),
              HasSubstr("expected auto, private or the socket of a running pacbench-netd"));
  if (::geteuid() == 0) {
    EXPECT_EQ(links::choose_daemon("auto", "/bin/program"), "/bin/program");
  }
}

}  // namespace
}  // namespace pacbench
