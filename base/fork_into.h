#pragma once

#include <array>
#include <functional>
#include <string>

#include "base/subprocess.h"

namespace pacbench {

/// Why a forked child could not become its program.
struct StartFailure {
  int reason = 0;                 ///< an errno
  std::array<char, 480> words{};  ///< a message in place of `reason`; empty: `reason` says all
};

/// Forks, and waits until the child has become a program. The child calls `become`, which execs; on
/// failure `become` fills in the StartFailure and returns. If this process has threads, `become`
/// may only call functions that are safe in a signal handler.
///
/// A pipe reports the failure. Its descriptor in the child is `above` or more, so that `become` can
/// place the program's own descriptors below. Throws std::system_error or std::runtime_error,
/// naming `program`, when `become` returned.
ChildProcess fork_into(const std::string& program, int above,
                       const std::function<void(StartFailure&)>& become);

/// Resets every signal to its default action and unblocks all of them, as programs expect at their
/// start; safe in a signal handler.
void reset_signals();

}  // namespace pacbench
