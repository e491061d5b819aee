#include "base/fork_into.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <system_error>

#include "base/check.h"

namespace pacbench {

ChildProcess fork_into(const std::string& program, int above,
                       const std::function<void(StartFailure&)>& become) {
  auto pipe = Pipe::create();
  UniqueFd report{check("duplicate descriptor", ::fcntl(pipe.write.get(), F_DUPFD_CLOEXEC, above))};
  pipe.write.reset();
  const pid_t pid = check("fork", ::fork());
  if (pid == 0) {
    StartFailure failure;
    become(failure);
    [[maybe_unused]] const auto written = ::write(report.get(), &failure, sizeof failure);
    ::_exit(127);
  }
  ChildProcess child{pid};
  report.reset();
  StartFailure failure;
  // The child writes a failure in one piece; a successful exec closes the pipe with nothing in it.
  ssize_t count = 0;
  do {
    count = ::read(pipe.read.get(), &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count != static_cast<ssize_t>(sizeof failure)) return child;
  if (failure.words.front() == '\0') {
    throw std::system_error{failure.reason, std::generic_category(), "cannot start " + program};
  }
  throw std::runtime_error{fmt::format("cannot start {}: {}", program, failure.words.data())};
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace pacbench
