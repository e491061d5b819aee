#include "tests/emulation/transfer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

namespace pacbench {

std::string address(int worker) { return fmt::format("10.77.0.{}", worker + 1); }

Receiver::Receiver(DaemonClient& daemon, int slot, int senders) : pipe_{Pipe::create()} {
  daemon.start_inside(slot,
                      {PACBENCH_PROBE, "receive", std::to_string(senders), std::to_string(kBytes)},
                      pipe_.write.get());
  pipe_.write.reset();
  char line[10];
  if (::read(pipe_.read.get(), line, sizeof line) != sizeof line) {
    throw std::runtime_error{"the receiver did not start"};
  }
}

double Receiver::duration_s() { return std::stod(read_to_end(pipe_.read.get())); }

void start_sender(DaemonClient& daemon, int slot, int to) {
  daemon.start_inside(slot, {PACBENCH_PROBE, "send", address(to), std::to_string(kBytes)},
                      STDERR_FILENO);
}

void expect_ratio_of_one(const std::function<double()>& measured_over_ideal) {
  // A virtual machine may get less of its processor for some seconds. Links at fault would be slow
  // for longer.
  using Clock = std::chrono::steady_clock;
  double last = 0;
  for (const auto end = Clock::now() + std::chrono::seconds{15}; Clock::now() < end;) {
    last = measured_over_ideal();
    ASSERT_GT(last, 0.95);
    if (last < 1.05) return;
  }
  ADD_FAILURE() << "not near the arithmetic time for 15 s; last measured / ideal: " << last;
}

}  // namespace pacbench
