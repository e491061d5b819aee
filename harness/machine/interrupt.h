#pragma once

#include <stdexcept>
#include <string>

namespace pacbench {

/// Work ended early because the user pressed Ctrl-C, or SIGTERM came. run_scenario() catches this
/// exception and returns an interrupted outcome. From other functions the exception reaches main,
/// which prints it and exits with 130.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Handles Ctrl-C (or SIGTERM) while this object lives. The first is noted and makes fd() readable,
/// so that the current cell can be recorded. The second ends the process at once with exit code
/// 130; when its connection to a daemon closes, the daemon ends all workers of this run. SIGPIPE
/// and SIGXFSZ are ignored meanwhile. Only one object may live at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int fd() const;
  bool requested() const;
  /// Throws Interrupted once a signal has come. The message names `during` ("pre-training") if
  /// given.
  void throw_if_requested(const std::string& during = "") const;
};

}  // namespace pacbench
