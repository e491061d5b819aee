#include "probe/others.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

namespace pacbench::probe {
namespace {

TEST(ProcessStat, ReadsNamesWithBracketsAndAllFields) {
  const auto stat = process_stat(
      "77 (a) b (c) R 1 77 77 0 -1 4194304 100 0 0 0 30 12 5 3 20 0 1 0 98765 0 0 "
      "18446744073709551615");
  EXPECT_EQ(stat.name, "a) b (c");
  EXPECT_EQ(stat.parent, 1);
  EXPECT_EQ(stat.ticks, 50);
  EXPECT_FALSE(stat.of_kernel);
  EXPECT_TRUE(
      process_stat("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 3 0 0 20 0 1 0 1").of_kernel);
  EXPECT_TRUE(process_stat("no such text").name.empty());
}

/// Spins for a while and ends.
pid_t spinning(double spin_s) {
  const auto pid = ::fork();
  if (pid != 0) return pid;
  const auto end_ns = monotonic_ns() + static_cast<std::int64_t>(spin_s * 1e9);
  while (monotonic_ns() < end_ns) {
  }
  ::_exit(0);
}

TEST(OthersTime, LeavesOutWhatIsBelowTheRoot) {
  const auto child = spinning(0.3);
  OthersTime of_child{child};
  OthersTime of_parent{::getpid()};
  ::waitpid(child, nullptr, 0);
  const auto outside_ns = of_parent.take_ns();
  const auto with_child_ns = of_child.take_ns();
  // For the child's own root this process, its waiting parent, is another's.
  EXPECT_GE(with_child_ns - outside_ns, 50'000'000);
}

}  // namespace
}  // namespace pacbench::probe
