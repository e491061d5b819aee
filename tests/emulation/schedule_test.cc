// Rates that change while a fabric is in use.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/emulation/fixtures.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Schedule = TwoWorkers;

const std::vector<std::string> kBothWays{"worker0.up", "worker0.down"};

netd::ScheduledReply start(DaemonClient& daemon, const netd::ScheduleRequest& request) {
  const auto reply = daemon.ask(to_json(request));
  if (reply.value("type", "") != "scheduled") throw std::runtime_error{reply.dump()};
  return netd::message_from_json<netd::ScheduledReply>(reply);
}

netd::SteppedEvent next_step(DaemonClient& daemon) {
  return netd::message_from_json<netd::SteppedEvent>(daemon.next());
}

std::string shape_inside(DaemonClient& daemon, int slot) {
  return daemon.run_inside(slot, {"/usr/sbin/tc", "-d", "class", "show", "dev", "eth0"});
}

TEST_F(Schedule, EveryStepIsTakenInItsOrderAndReportedWithTheTimeItWasDue) {
  const netd::ScheduleRequest request{kBothWays, {{0, 50}, {20, 500}, {40, 12.5}}, 0};
  const auto scheduled = start(daemon, request);
  EXPECT_EQ(scheduled.schedule, 0);
  std::int64_t before_ns = scheduled.start_ns;
  for (const auto& step : request.steps) {
    const auto taken = next_step(daemon);
    EXPECT_EQ(taken.schedule, 0);
    EXPECT_EQ(taken.due_ns, scheduled.start_ns + step.at_ms * 1'000'000);
    EXPECT_EQ(taken.rate_mbit, step.rate_mbit);
    EXPECT_GE(taken.applied_ns, taken.due_ns);
    EXPECT_GT(taken.applied_ns, before_ns);
    before_ns = taken.applied_ns;
  }
  EXPECT_THAT(shape_inside(daemon, 0), HasSubstr("rate 12500Kbit"));
  EXPECT_THAT(shape_inside(daemon, 1), HasSubstr("rate 100Mbit")) << "it is not on the schedule";
  EXPECT_THAT(daemon.counters().deviations, IsEmpty()) << "the declared rate is now another";
}

TEST_F(Schedule, GoesRoundUntilTheConnectionEnds) {
  const auto scheduled = start(daemon, {kBothWays, {{0, 50}, {10, 500}}, 20});
  for (int i = 0; i < 9; ++i) {
    const auto taken = next_step(daemon);
    EXPECT_EQ(taken.due_ns, scheduled.start_ns + i * 10'000'000);
    EXPECT_EQ(taken.rate_mbit, i % 2 == 0 ? 50 : 500);
  }
  daemon.hang_up();
  EXPECT_TRUE(daemon.wait().ok());
}

TEST_F(Schedule, KeepsTheClassWithItsCountersAndItsQueue) {
  const auto leaf = [&] {
    return daemon.run_inside(0, {"/usr/sbin/tc", "qdisc", "show", "dev", "eth0"});
  };
  const auto queue_before = leaf();
  // Nothing listens at 10.77.0.2, but the requests to connect cross the link.
  daemon.run_inside(0, {"/bin/sh", "-c",
                        fmt::format("{} send 10.77.0.2 1000 2>/dev/null || true", PACBENCH_PROBE)});
  const auto before = daemon.counters().links.at(0);
  ASSERT_GT(before.bytes, 0);
  start(daemon, {kBothWays, {{0, 10}, {10, 1000}}, 0});
  next_step(daemon);
  next_step(daemon);
  EXPECT_EQ(daemon.counters().links.at(0).bytes, before.bytes);
  EXPECT_EQ(leaf(), queue_before);
}

TEST_F(Schedule, AClientThatDoesNotReadDelaysNoStep) {
  netd::ScheduleRequest request{kBothWays, {}, 0};
  constexpr int kSteps = 600;  // more than a socket holds
  for (int i = 0; i < kSteps; ++i) request.steps.push_back({10 * i, 50.0 + i % 2});
  const auto scheduled = start(daemon, request);
  // Shows that the last step was taken while nobody has read the event of the first.
  const auto at_the_end = [&] {
    return run_in_namespace_of(daemon.pid(), {"/usr/sbin/tc", "class", "show", "dev", "port0"});
  };
  while (monotonic_ns() < scheduled.start_ns + kSteps * 10'000'000LL) ::usleep(1000);
  const auto give_up_ns = monotonic_ns() + 20'000'000'000;
  while (at_the_end().find("rate 51Mbit") == std::string::npos) {
    ASSERT_LT(monotonic_ns(), give_up_ns) << "the last step was not taken: " << at_the_end();
    ::usleep(1000);
  }
  for (int i = 0; i < kSteps; ++i) {
    EXPECT_EQ(next_step(daemon).due_ns, scheduled.start_ns + i * 10'000'000LL);
  }
}

TEST_F(Schedule, TheDaemonRunsBeforeTheWorkersWhileOneLastsWhereItMay) {
  const auto sleeper = [&] {
    return daemon.start_inside(1, {"/bin/sleep", "60"}, STDERR_FILENO).pid;
  };
  const int usual = ::sched_getscheduler(sleeper());
  ASSERT_EQ(::sched_getscheduler(daemon.pid()), SCHED_OTHER);
  start(daemon, {kBothWays, {{0, 50}, {300, 100}}, 0});
  next_step(daemon);
  EXPECT_EQ((::sched_getscheduler(daemon.pid()) & ~SCHED_RESET_ON_FORK) == SCHED_RR,
            created.real_time_allowed);
  EXPECT_EQ(::sched_getscheduler(sleeper()), usual) << "a worker inherits nothing of it";
  next_step(daemon);
  EXPECT_EQ(::sched_getscheduler(daemon.pid()) & ~SCHED_RESET_ON_FORK, SCHED_OTHER);
}

TEST_F(Schedule, ARateThatTheKernelCannotExpressIsRefusedBeforeAnyStep) {
  auto request = star(2, 100);
  request.shaper.burst_bytes = 100'000'000;
  DaemonClient bursting{request};
  const auto reply =
      bursting.ask(to_json(netd::ScheduleRequest{kBothWays, {{0, 50}, {10, 0.05}}, 0}));
  EXPECT_THAT(reply.value("message", "not refused"), HasSubstr("at most 275 s"));
}

TEST_F(Schedule, WhatIsWrongWithOneIsNamed) {
  const auto refusal = [&](const netd::ScheduleRequest& request) {
    return daemon.ask(to_json(request)).value("message", "not refused");
  };
  EXPECT_THAT(refusal({{}, {{0, 50}}, 0}), HasSubstr("/directions: expected at least one"));
  EXPECT_THAT(refusal({{"worker2.up"}, {{0, 50}}, 0}), HasSubstr("/directions: \"worker2.up\""));
  EXPECT_THAT(refusal({kBothWays, {}, 0}), HasSubstr("/steps"));
  EXPECT_THAT(refusal({kBothWays, {{10, 50}, {10, 60}}, 0}), HasSubstr("ascending times"));
  EXPECT_THAT(refusal({kBothWays, {{0, 50}, {9, 60}}, 0}), HasSubstr("10 ms or more apart"));
  EXPECT_THAT(refusal({kBothWays, {{0, 50}, {10, 60}}, 19}), HasSubstr("/repeat_ms"));
  start(daemon, {{"worker0.up"}, {{60'000, 50}}, 0});
  EXPECT_THAT(refusal({kBothWays, {{0, 50}}, 0}),
              HasSubstr("worker0.up already follows schedule 0"));
  EXPECT_EQ(start(daemon, {{"worker0.down"}, {{0, 50}}, 0}).schedule, 1);
}

}  // namespace
}  // namespace pacbench
