#include "harness/machine/pseudo_terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>

#include "base/check.h"

namespace pacbench {
namespace {

/// Copies what can be read now. False at the end of input.
bool copy(int from, int to) {
  std::array<char, 4096> part{};
  const auto count = ::read(from, part.data(), part.size());
  if (count <= 0) return count < 0 && errno == EINTR;
  for (ssize_t written = 0; written < count;) {
    const auto now = ::write(to, part.data() + written, static_cast<std::size_t>(count - written));
    if (now < 0 && errno != EINTR) return false;
    if (now > 0) written += now;
  }
  return true;
}

}  // namespace

PseudoTerminal::PseudoTerminal() {
  check("reading the terminal's settings", ::tcgetattr(STDIN_FILENO, &before_));
  int own = -1;
  int program = -1;
  check("openpty", ::openpty(&own, &program, nullptr, &before_, nullptr));
  own_end_.reset(own);
  program_end_.reset(program);
  pass_on_size();
  auto raw = before_;
  ::cfmakeraw(&raw);
  check("setting the terminal", ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw));
}

PseudoTerminal::~PseudoTerminal() { ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_); }

void PseudoTerminal::pass_on_size() {
  winsize size{};
  winsize had{};
  if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0) return;
  if (::ioctl(own_end_.get(), TIOCGWINSZ, &had) < 0) return;
  // Setting the same size again would still signal the program.
  if (size.ws_row == had.ws_row && size.ws_col == had.ws_col) return;
  ::ioctl(own_end_.get(), TIOCSWINSZ, &size);
}

bool PseudoTerminal::turn(int timeout_ms) {
  std::array<pollfd, 2> ends{{{STDIN_FILENO, POLLIN, 0}, {own_end_.get(), POLLIN, 0}}};
  if (::poll(ends.data(), ends.size(), timeout_ms) < 0 && errno != EINTR) return false;
  pass_on_size();
  if (ends[0].revents != 0 && !copy(STDIN_FILENO, own_end_.get())) return false;
  return ends[1].revents == 0 || copy(own_end_.get(), STDOUT_FILENO);
}

}  // namespace pacbench
