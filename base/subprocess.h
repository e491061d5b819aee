#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"

namespace pacbench {

struct ExitStatus {
  int code = 0;    ///< exit code, when it exited by itself
  int signal = 0;  ///< the signal that ended it, else 0

  bool ok() const { return code == 0 && signal == 0; }
  std::string describe() const;  ///< "exit code 2" or "signal 9 (Killed)"

  static ExitStatus from_wait(int wait_status);
};

struct Output {
  ExitStatus status;
  std::string out;
  std::string err;
};

/// Runs argv[0] (looked up on PATH, no shell), feeds it `input` and collects what it writes.
/// The child is killed when this process dies. Throws std::system_error when it cannot start.
Output run_command(const std::vector<std::string>& argv, std::string_view input = {});

/// Does what run_command() does and returns stdout. Throws CommandFailed unless the command exits
/// with code 0. The message has the command, how it ended, and its stderr (its stdout when stderr
/// is empty).
std::string run_checked(const std::vector<std::string>& argv, std::string_view input = {});

/// Returns words as exec expects them: pointers into `words`, which must outlive the result, and a
/// null at the end.
std::vector<char*> exec_words(const std::vector<std::string>& words);

/// The command as one could type it into a shell.
std::string shell_words(const std::vector<std::string>& argv);

/// A child process that has not been waited for, or none. It is addressed through a pidfd, so that
/// it cannot be confused with a later process of the same number. The destructor kills the child
/// and waits for its end.
class ChildProcess {
 public:
  ChildProcess() = default;
  /// Takes over a child of this process that has not been waited for. If that fails, kills the
  /// child and throws std::system_error.
  explicit ChildProcess(pid_t pid);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  ///< readable once the child has ended
  /// Whether there is a child that has not been waited for. It may have ended.
  bool running() const { return pid_ > 0; }

  void signal(int number) const;
  ExitStatus wait();  ///< Blocks until the child has ended, and reaps it.

 private:
  pid_t pid_ = -1;
  UniqueFd pidfd_;
};

/// Starts argv[0] (an absolute path) in a session of its own, out of reach of the terminal's
/// Ctrl-C. The program's whole environment is `environment`, as NAME=value. Its descriptors 0, 1,
/// 2, ... are `fds`, and all signals have their default actions. The kernel kills the program when
/// the calling thread ends, so at the latest when this process ends.
/// Throws std::system_error naming the program when it cannot start.
ChildProcess start_process(const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment,
                           const std::vector<int>& fds);

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

/// Two ends of a pipe, both closed on exec.
struct Pipe {
  UniqueFd read;
  UniqueFd write;
  static Pipe create();
};

/// The folder that holds the file of the program that this process runs.
std::string own_folder();

}  // namespace pacbench
