#pragma once

namespace pacbench {

/// Ctrl-C (or SIGTERM) while this lives. The first is noted and makes fd() readable, so that the
/// cell at hand can be recorded; the second ends the process at once with exit code 130, the
/// closing of its sockets taking the daemon and all workers with it. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int fd() const;
  bool requested() const;
};

}  // namespace pacbench
