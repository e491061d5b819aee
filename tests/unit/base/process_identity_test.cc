#include "base/process_identity.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <vector>

#include "base/check.h"
#include "base/subprocess.h"

namespace pacbench {
namespace {

/// Interrupts the system calls of this process every 200 microseconds.
class Interruptions {
 public:
  Interruptions() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    check("sigaction", ::sigaction(SIGALRM, &action, &before_));
    every_us(200);
  }
  ~Interruptions() {
    every_us(0);
    ::sigaction(SIGALRM, &before_, nullptr);
  }

 private:
  static void every_us(suseconds_t interval_us) {
    const itimerval timer{{0, interval_us}, {0, interval_us}};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
  }

  struct sigaction before_ {};
};

/// Starts a child that sleeps and takes milliseconds to end, since it has much memory to free.
ChildProcess start_child_that_ends_slowly() {
  constexpr std::size_t kMemory_bytes = 64 << 20;
  auto ready = Pipe::create();
  const auto pid = check("fork", ::fork());
  if (pid == 0) {
    const std::vector<char> memory(kMemory_bytes, 1);
    if (::write(ready.write.get(), memory.data(), 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  ChildProcess child{pid};
  char byte = 0;
  check("read", ::read(ready.read.get(), &byte, 1));
  return child;
}

TEST(EndProcess, WaitsOnAfterSignals) {
  const auto child = start_child_that_ends_slowly();
  const auto identity = ProcessIdentity::of(child.pid());
  ASSERT_TRUE(identity);
  const Interruptions often;
  EXPECT_TRUE(end_process(*identity, 30'000));
  EXPECT_FALSE(identity->running());
}

}  // namespace
}  // namespace pacbench
