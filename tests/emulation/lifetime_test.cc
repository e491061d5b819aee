// Nothing outlives the connection, whichever process dies at whatever time.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>

#include "base/check.h"
#include "base/files.h"
#include "tests/emulation/eventually.h"
#include "tests/emulation/fixtures.h"

namespace pacbench {
namespace {

using namespace std::chrono_literals;
using Lifetime = WithFabrics;

constexpr double kSettle_s = 2;
constexpr const char* kMark = "PACBENCH_TEST_MARK";

/// Marks this process's descendants through their environment, to find them whatever becomes of
/// their parents.
class Mark {
 public:
  Mark() : value_{fmt::format("{}-{}", ::getpid(), std::random_device{}())} {
    ::setenv(kMark, value_.c_str(), 1);
  }
  ~Mark() { ::unsetenv(kMark); }

  std::string assignment() const { return fmt::format("{}={}", kMark, value_); }

  int processes() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
      try {
        const auto text = read_file(entry.path().string() + "/environ");
        if (text.find(assignment()) != std::string::npos) ++count;
      } catch (const std::exception&) {
        continue;  // no process, or it has just ended
      }
    }
    return count;
  }

  /// Waits for at most kSettle_s until exactly `count` marked processes exist; returns whether.
  bool reaches(int count) const {
    return eventually([&] { return processes() == count; }, kSettle_s);
  }
  bool gone() const { return reaches(0); }

 private:
  std::string value_;
};

/// The number of processes: the daemon, the first process of its PID namespace, and for each worker
/// a program and its child.
constexpr int processes_with(int workers) { return 2 + 2 * workers; }

/// Starts a program with a child of its own in every worker's namespace.
void hold_all(DaemonClient& daemon, const Mark& mark, int workers) {
  for (int slot = 0; slot < workers; ++slot) {
    auto out = Pipe::create();
    daemon.start_inside(slot, {PACBENCH_PROBE, "hold"}, out.write.get(), {mark.assignment()});
    char byte = 0;
    check("read", ::read(out.read.get(), &byte, 1));
  }
}

/// Makes a fabric whose workers hold on, ends it, and finds that nothing of it is left.
void expect_end(int workers, const std::function<void(DaemonClient&)>& end, bool orderly) {
  const Mark mark;
  DaemonClient daemon{star(workers, 100)};
  hold_all(daemon, mark, workers);
  ASSERT_EQ(mark.processes(), processes_with(workers));
  end(daemon);
  EXPECT_TRUE(mark.gone()) << mark.processes() << " processes are left after two seconds";
  EXPECT_EQ(daemon.wait().ok(), orderly);
}

TEST_F(Lifetime, EndsWithTheConnectionAndSixtyFourWorkersGoTogether) {
  for (const int workers : {2, 64}) {
    expect_end(
        workers, [](DaemonClient& daemon) { daemon.hang_up(); }, true);
  }
}

TEST_F(Lifetime, EndsWithSigtermAndSigintAndWhenTheDaemonIsKilled) {
  for (const int signal : {SIGTERM, SIGINT, SIGKILL}) {
    const auto end = [&](DaemonClient& daemon) { daemon.process().signal(signal); };
    expect_end(2, end, signal != SIGKILL);
  }
}

TEST_F(Lifetime, ACtrlCOnTheTerminalDoesNotReachIt) {
  DaemonClient daemon{star(2, 100)};
  EXPECT_EQ(::getsid(daemon.pid()), daemon.pid());
  EXPECT_NE(::getsid(0), daemon.pid());
}

/// Starts a client that holds a fabric until it is killed. The client is a process of its own, so
/// that a test can kill it.
ChildProcess start_client(const Mark& mark) {
  const auto pid = check("fork", ::fork());
  if (pid > 0) return ChildProcess{pid};
  try {
    DaemonClient daemon{star(2, 100)};
    hold_all(daemon, mark, 2);
    for (;;) ::pause();
  } catch (const std::exception& error) {
    fmt::print(stderr, "client: {}\n", error.what());
  }
  ::_exit(1);
}

TEST_F(Lifetime, NothingIsLeftWhenTheClientIsKilledAtAnyMoment) {
  std::mt19937 random{20240601};
  for (int round = 0; round < 13; ++round) {
    const Mark mark;
    auto client = start_client(mark);
    const std::chrono::milliseconds moment{random() % 120};
    if (round == 0) {
      ASSERT_TRUE(mark.reaches(processes_with(2))) << "left alone it makes a fabric with workers";
    }
    std::this_thread::sleep_for(moment);
    client.signal(SIGKILL);
    client.wait();
    EXPECT_TRUE(mark.gone()) << "killed after " << moment.count() << " ms";
  }
}

/// A user namespace in which only kLimit network namespaces can exist at a time. So the kernel's
/// own count shows what has been left behind.
class NamespaceQuota {
 public:
  static constexpr int kLimit = 3;  // a switch and two workers

  NamespaceQuota() : ready_{Pipe::create()} {
    const auto script = fmt::format(
        "echo {} > /proc/sys/user/max_net_namespaces && echo ready && exec sleep 600", kLimit);
    const auto pid = check("fork", ::fork());
    if (pid == 0) {
      ::dup2(ready_.write.get(), STDOUT_FILENO);
      ::execlp("unshare", "unshare", "--user", "--map-root-user", "sh", "-c", script.c_str(),
               nullptr);
      ::_exit(127);
    }
    holder_ = ChildProcess{pid};
    ready_.write.reset();
    char word[5];
    works_ = ::read(ready_.read.get(), word, sizeof word) == sizeof word;
  }

  bool works() const { return works_; }

  std::vector<std::string> prefix() const {
    return {"nsenter", "--target", std::to_string(holder_.pid()), "--user",
            "--preserve-credentials"};
  }

  /// True when as many network namespaces as the quota allows can be made.
  bool is_free() const {
    auto all_at_once = prefix();
    all_at_once.insert(all_at_once.end(), {"unshare", "--net", "sh", "-c",
                                           "unshare --net sh -c 'unshare --net true'"});
    return run_command(all_at_once).status.ok();
  }

  /// Waits for at most 8 s until is_free(); returns whether it is. The kernel needs some 0.1 s to
  /// remove a namespace, and longer when the machine is busy.
  bool becomes_free() const {
    const auto end = std::chrono::steady_clock::now() + 8s;
    while (std::chrono::steady_clock::now() < end) {
      if (is_free()) return true;
      std::this_thread::sleep_for(100ms);
    }
    return false;
  }

 private:
  Pipe ready_;
  ChildProcess holder_;
  bool works_ = false;
};

TEST_F(Lifetime, NoNamespaceIsLeftWhenTheDaemonIsKilledAtAnyMoment) {
  const NamespaceQuota quota;
  if (!quota.works()) GTEST_SKIP() << "no user namespace to count in";
  {
    DaemonClient daemon{quota.prefix()};
    daemon.create(star(2, 100));
    EXPECT_FALSE(quota.is_free()) << "a fabric fills it";
    daemon.hang_up();
    EXPECT_TRUE(daemon.wait().ok());
    ASSERT_TRUE(quota.becomes_free());
  }
  std::mt19937 random{20240602};
  for (int round = 0; round < 12; ++round) {
    const Mark mark;
    {
      DaemonClient daemon{quota.prefix()};
      daemon.connection().send(to_json(star(2, 100)));
      const std::chrono::milliseconds moment{random() % 80};
      std::this_thread::sleep_for(moment);
      daemon.process().signal(SIGKILL);
      daemon.wait();
    }
    EXPECT_TRUE(mark.gone());
    ASSERT_TRUE(quota.becomes_free()) << "namespaces are left from round " << round;
  }
}

}  // namespace
}  // namespace pacbench
