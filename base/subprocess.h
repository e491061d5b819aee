#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"

namespace pacbench {

/// How a process ended.
struct ExitStatus {
  int code = 0;    ///< exit code, when it exited by itself
  int signal = 0;  ///< the signal that ended it, else 0

  bool ok() const { return code == 0 && signal == 0; }
  std::string describe() const;  ///< "exit code 2" or "signal 9 (Killed)"

  static ExitStatus from_wait(int wait_status);
};

/// The exit status and output of a finished command.
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

/// Two ends of a pipe, both closed on exec.
struct Pipe {
  UniqueFd read;
  UniqueFd write;
  static Pipe create();
};

/// The folder that holds the file of the program that this process runs.
std::string own_folder();

}  // namespace pacbench
