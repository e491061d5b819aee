#pragma once

#include <termios.h>

#include "base/unique_fd.h"

namespace pacbench {

/// A terminal for an interactive program, which this process's own terminal on standard input shows
/// and types into. While it lives, the own terminal passes every key on unchanged; the destructor
/// restores it.
class PseudoTerminal {
 public:
  /// Throws std::system_error where standard input is no terminal.
  PseudoTerminal();
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  /// The program's standard input, output and error.
  int program_end() const { return program_end_.get(); }
  /// To be called when the program has its end.
  void started() { program_end_.reset(); }

  /// Passes on what was typed, what the program wrote, and a new size of the window. Waits for at
  /// most `timeout_ms`. False when nobody holds the program's end any more.
  bool turn(int timeout_ms);

 private:
  void pass_on_size();

  UniqueFd own_end_;
  UniqueFd program_end_;
  termios before_{};
};

}  // namespace pacbench
