// A shared daemon lets members of its group in, and runs their programs under their user.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>

#include "base/check.h"
#include "tests/emulation/fixtures.h"
#include "tests/emulation/service_fixture.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

using ServiceUsers = AsRoot;

std::string network_of(pid_t pid) {
  return std::filesystem::read_symlink(fmt::format("/proc/{}/ns/net", pid)).string();
}

std::string refusal(DaemonClient client) { return client.next().value("message", "let in"); }

TEST_F(ServiceUsers, AWorkerIsTheCallerWithoutAnyCapabilityOrAWayToOne) {
  const ServiceFixture service;
  auto alice = service.connect(kAlice, {kServiceGroup, 64003});
  EXPECT_EQ(alice.create(star(2, 100)).privilege, "service");
  const auto worker = alice.start_inside(0, {"/bin/sleep", "60"}, STDERR_FILENO);
  const auto status = read_file(fmt::format("/proc/{}/status", worker.pid));
  EXPECT_THAT(status, HasSubstr("Uid:\t64100\t64100\t64100\t64100\n"));
  EXPECT_THAT(status, HasSubstr("Gid:\t64100\t64100\t64100\t64100\n"));
  EXPECT_THAT(status, HasSubstr("Groups:\t64002 64003 \n"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    EXPECT_THAT(status, HasSubstr(fmt::format("{}:\t0000000000000000\n", set)));
  }
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
  EXPECT_NE(network_of(worker.pid), network_of(::getpid()));
}

TEST_F(ServiceUsers, TheDaemonHoldsWhatItsUnitGrantsAndNoMore) {
  const ServiceFixture service;
  const auto status = read_file(fmt::format("/proc/{}/status", service.pid()));
  EXPECT_THAT(status, HasSubstr("Uid:\t64001\t64001\t64001\t64001\n"));
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
  const auto decoded =
      run_checked({"/sbin/capsh", "--decode=" + status.substr(status.find("CapEff:\t") + 8, 16)});
  const auto granted = capabilities_of_the_unit();
  EXPECT_EQ(std::count(decoded.begin(), decoded.end(), ','),
            static_cast<std::ptrdiff_t>(granted.size()) - 1);
}

TEST_F(ServiceUsers, AreLetInByTheirPrimaryGroupTooAndRootByNone) {
  const ServiceFixture service;
  EXPECT_NO_THROW(service.connect(kServiceGroup, {}).create(star(2, 100)));
  EXPECT_NO_THROW(service.connect(0, {}).create(star(2, 100)));
}

TEST_F(ServiceUsers, AForeignUserDoesNotReachTheSocketOrIsRefusedWithTheCure) {
  const ServiceFixture service;
  try {
    service.connect(kMallory, {64003});
    ADD_FAILURE() << "connected";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), EACCES);
  }
  service.open_to_all();
  const auto words = refusal(service.connect(kMallory, {64003}));
  EXPECT_THAT(words, HasSubstr("user 64102 is not in the group \"64002\""));
  EXPECT_THAT(words, HasSubstr("usermod -aG"));
}

TEST_F(ServiceUsers, TwoUsersDoNotMeet) {
  const ServiceFixture service;
  auto alice = service.fabric_of(kAlice);
  auto bob = service.fabric_of(kBob);
  const auto hers = alice.start_inside(0, {"/bin/sleep", "60"}, STDERR_FILENO).pid;
  const auto his = bob.start_inside(0, {"/bin/sleep", "60"}, STDERR_FILENO).pid;
  EXPECT_NE(network_of(hers), network_of(his));
  const auto attempt = [&](const std::string& command) {
    return bob.run_inside(1, {"/bin/sh", "-c", command + " 2>&1 || true"});
  };
  EXPECT_THAT(attempt(fmt::format("/bin/kill -9 {}", hers)), HasSubstr("No such process"))
      << "she lives in a PID namespace that he is not in";
  EXPECT_THAT(attempt(fmt::format("readlink /proc/{}/ns/net || echo refused", hers)),
              HasSubstr("refused"));
  EXPECT_THAT(attempt(fmt::format("ls /proc/{}/fd", hers)), HasSubstr("No such file"))
      << "his /proc shows his own session";
  auto listening = Pipe::create();
  alice.start_inside(0, {service.probe(), "receive", "1", "1000"}, listening.write.get());
  char first = 0;
  check("read", ::read(listening.read.get(), &first, 1));
  const auto send = service.probe() + " send 10.77.0.1 1000";
  EXPECT_THAT(attempt(send), HasSubstr("Connection refused")) << "nobody listens in his network";
  EXPECT_EQ(alice.run_inside(1, {"/bin/sh", "-c", send}), "") << "in hers it arrives";
  bob.hang_up();
  EXPECT_TRUE(ends(his));
  EXPECT_EQ(::kill(hers, 0), 0) << "one end is not the other's";
  EXPECT_TRUE(alice.counters().deviations.empty());
}

TEST_F(ServiceUsers, CannotFillTheRoomForNeighboursOfOthers) {
  const ServiceFixture service;
  auto mallory = service.fabric_of(kAlice);
  mallory.run_inside(0, {service.probe(), "datagrams", "10.77.1.0", "5000"});
  auto bob = service.fabric_of(kBob);
  bob.run_inside(0, {service.probe(), "datagrams", "10.77.0.2", "1"});
  const auto device = Json::parse(bob.run_inside(1, {"/bin/ip", "-j", "-s", "link"}))[1];
  EXPECT_GE(device.at("stats64").at("rx").at("packets"), 1) << "his datagram arrives";
  // This namespace has nothing to do with the service; its devices use ARP as usual.
  const auto learned = run_checked(
      {"unshare", "--net", "sh", "-c",
       "ip link add one type veth peer name two && ip link set one up && ip neigh add 10.1.0.3 "
       "lladdr 02:00:00:00:00:01 dev one nud reachable && ip neigh show dev one"});
  EXPECT_THAT(learned, HasSubstr("10.1.0.3")) << "the kernel has room for what others learn";
}

/// A process with a mount namespace of its own, in which a script has been run.
class OwnMounts {
 public:
  explicit OwnMounts(const std::string& script) : ready_{Pipe::create()} {
    const auto pid = check("fork", ::fork());
    if (pid == 0) {
      ::dup2(ready_.write.get(), STDOUT_FILENO);
      ::execlp("unshare", "unshare", "--mount", "sh", "-c",
               (script + " && echo ready && exec sleep 600").c_str(), nullptr);
      ::_exit(127);
    }
    holder_ = ChildProcess{pid};
    ready_.write.reset();
    char word[5];
    check("the script", ::read(ready_.read.get(), word, sizeof word) == sizeof word ? 0 : -1);
  }

  UniqueFd open() const {
    const auto path = fmt::format("/proc/{}/ns/mnt", holder_.pid());
    return UniqueFd{check("open", ::open(path.c_str(), O_RDONLY | O_CLOEXEC))};
  }

 private:
  Pipe ready_;
  ChildProcess holder_;
};

std::string run_in(DaemonClient& client, int mount_namespace, const std::string& script) {
  auto out = Pipe::create();
  netd::SpawnRequest request{0, {"/bin/sh", "-c", script}, {}};
  request.in_mount_namespace = true;
  const auto reply =
      client.ask(to_json(request), {STDIN_FILENO, out.write.get(), STDERR_FILENO, mount_namespace});
  if (reply.at("type") != "spawned") return reply.dump();
  out.write.reset();
  auto text = read_to_end(out.read.get());
  client.next();
  return text;
}

TEST_F(ServiceUsers, AProgramRunsInTheMountNamespaceThatItsCallerSent) {
  const ServiceFixture service;
  const OwnMounts mounts{"mount -t tmpfs none /mnt && echo hello > /mnt/there"};
  auto alice = service.fabric_of(kAlice);
  EXPECT_EQ(run_in(alice, mounts.open().get(), "cat /mnt/there; pwd; echo /proc/self/fd/*"),
            "hello\n/\n/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3 "
            "/proc/self/fd/4\n");
  EXPECT_THAT(run_in(alice, STDERR_FILENO, "true"),
              HasSubstr("entering the mount namespace: Invalid argument"));
}

TEST_F(ServiceUsers, HaveProgramsThatAreApartAndRunAsThem) {
  const ServiceFixture service;
  auto alice = service.fabric_of(kAlice);
  auto out = Pipe::create();
  netd::SpawnRequest request{
      0, {"/bin/sh", "-c", "cd /proc; echo [0-9]*; grep Uid self/status; ls /dev/shm"}, {}};
  request.apart = true;
  const auto reply = alice.ask(to_json(request), {STDIN_FILENO, out.write.get(), STDERR_FILENO});
  out.write.reset();
  ASSERT_EQ(reply.value("not_apart", "-"), "") << reply;
  EXPECT_THAT(read_to_end(out.read.get()),
              ::testing::MatchesRegex("1 [0-9]+\nUid:\t64100\t64100\t64100\t64100\n"));
}

TEST_F(ServiceUsers, AMountNamespaceThatLiesAboutProcChangesNothing) {
  const ServiceFixture service;
  const OwnMounts mounts{
      "mount --bind /proc /mnt && mount -t tmpfs none /proc && mkdir /proc/self && "
      "echo deny > /proc/self/setgroups"};
  auto alice = service.connect(kAlice, {64003, kServiceGroup});
  alice.create(star(2, 100));
  const auto status = run_in(alice, mounts.open().get(), "exec cat /mnt/self/status");
  EXPECT_THAT(status, HasSubstr("Uid:\t64100\t64100\t64100\t64100\n"));
  EXPECT_THAT(status, HasSubstr("Groups:\t64002 64003 \n"));
  EXPECT_THAT(status, HasSubstr("CapEff:\t0000000000000000\n"));
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
}

}  // namespace
}  // namespace pacbench
