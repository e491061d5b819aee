#include "harness/machine/interrupt.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/check.h"
#include "base/unique_fd.h"

namespace pacbench {
namespace {

// These are globals since a signal handler has no other way to its state.
volatile sig_atomic_t requests = 0;
volatile sig_atomic_t wake_fd = -1;

void on_signal(int) {
  if (requests > 0) ::_exit(130);
  requests = 1;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_fd, &one, sizeof one);
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  requests = 0;
  wake_fd = check("eventfd", ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  // A closed connection and a file at its size limit are errors to report and must not end us.
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
}

Interrupt::~Interrupt() {
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) handle(number, SIG_DFL);
  ::close(wake_fd);
  wake_fd = -1;
}

int Interrupt::fd() const { return wake_fd; }

bool Interrupt::requested() const { return requests > 0; }

void Interrupt::throw_if_requested(const std::string& during) const {
  if (!requested()) return;
  throw Interrupted{"stopped by a signal" + (during.empty() ? "" : " during the " + during)};
}

}  // namespace pacbench
