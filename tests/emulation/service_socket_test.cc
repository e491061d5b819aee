// The socket of a shared daemon: passed by systemd or made by the daemon.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/check.h"
#include "base/unix_socket.h"
#include "tests/emulation/fixtures.h"
#include "tests/emulation/service_fixture.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

using ServiceSocket = AsRoot;

/// What a service with these options says that does not start.
std::string words_of(const std::vector<std::string>& options, std::vector<std::string> argv = {}) {
  argv.insert(argv.end(), {PACBENCH_NETD, "--service"});
  argv.insert(argv.end(), options.begin(), options.end());
  return run_command(argv).err;
}

TEST_F(ServiceSocket, IsOfTheGroupAloneAndSoIsItsFolder) {
  const ServiceFixture service;
  struct stat found {};
  check("stat", ::stat(service.socket_path().c_str(), &found));
  EXPECT_EQ(found.st_mode & 07777, 0660U);
  EXPECT_EQ(found.st_gid, kServiceGroup);
  const auto folder = service.socket_path().substr(0, service.socket_path().rfind('/'));
  check("stat", ::stat(folder.c_str(), &found));
  EXPECT_EQ(found.st_mode & 07777, 0750U);
  EXPECT_EQ(found.st_gid, kServiceGroup);
}

TEST_F(ServiceSocket, OneThatIsInUseIsNotTaken) {
  const ServiceFixture service;
  const TemporaryFolder other;
  EXPECT_THAT(words_of({"--listen", service.socket_path(), "--group", "0", "--state",
                        other.path() + "/state"}),
              HasSubstr("another program listens"));
  EXPECT_NO_THROW(service.fabric_of(kAlice));
}

TEST_F(ServiceSocket, AFileThatIsNoSocketIsNotReplaced) {
  const TemporaryFolder folder;
  const auto path = folder.path() + "/netd.sock";
  std::ofstream{path} << "precious";
  EXPECT_THAT(words_of({"--listen", path, "--group", "0", "--state", folder.path() + "/state"}),
              AllOf(HasSubstr(path), HasSubstr("not a socket")));
  EXPECT_EQ(read_file(path), "precious");
}

TEST_F(ServiceSocket, AJournalInUseOrWithinReachOfOthersIsNotShared) {
  const ServiceFixture service;
  EXPECT_THAT(words_of({"--listen", "/nowhere", "--state", service.state()},
                       {"setpriv", fmt::format("--reuid={}", kServiceUser), "--clear-groups"}),
              HasSubstr("another pacbench-netd keeps its journal"));
  const TemporaryFolder open;
  check("chmod", ::chmod(open.path().c_str(), 0777));
  EXPECT_THAT(words_of({"--listen", "/nowhere", "--state", open.path()}),
              HasSubstr("nobody else can write to"));
}

TEST_F(ServiceSocket, WithoutItsCapabilitiesOrASocketItSaysWhatIsLacking) {
  const TemporaryFolder folder;
  const auto state = folder.path() + "/state";
  EXPECT_THAT(words_of({"--listen", folder.path() + "/netd.sock", "--group", "0", "--state", state},
                       {"setpriv", "--bounding-set=-kill,-setuid"}),
              HasSubstr("lacks CAP_SETUID, CAP_KILL"));
  EXPECT_THAT(words_of({"--state", state}), HasSubstr("start the service with --listen PATH"));
}

TEST_F(ServiceSocket, OneFromSystemdIsTakenOver) {
  const TemporaryFolder folder;
  const auto path = folder.path() + "/netd.sock";
  const auto socket = unix_socket();
  bind_to(socket.get(), path);
  check("listen", ::listen(socket.get(), 8));
  const auto state = folder.path() + "/state";
  const auto pid = check("fork", ::fork());
  if (pid == 0) {
    ::dup2(socket.get(), 3);
    if (socket.get() == 3) ::fcntl(3, F_SETFD, 0);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", "1", 1);
    ::execl(PACBENCH_NETD, "pacbench-netd", "--service", "--state", state.c_str(), nullptr);
    ::_exit(127);
  }
  ChildProcess service{pid};
  DaemonClient client{connect_to(path)};
  EXPECT_EQ(client.create(star(2, 100)).privilege, "service");
  service.signal(SIGTERM);
  EXPECT_TRUE(service.wait().ok());
  EXPECT_EQ(::access(path.c_str(), F_OK), 0) << "the file is systemd's";
}

}  // namespace
}  // namespace pacbench
