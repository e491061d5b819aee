#pragma once

#include <poll.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/subprocess.h"

namespace pacbench::cell {

/// The three pipes to one worker, none of which is ever waited for: a worker that stops reading
/// or writing holds up nobody.
class WorkerChannel {
 public:
  enum class Input { kThenEnd, kHeldOpen };

  /// `input` is fed to the worker's standard input, which is then closed, or held open until
  /// end_input().
  explicit WorkerChannel(std::string input, Input then = Input::kThenEnd);

  /// What the worker gets as 0, 1 and 2; to be let go with started().
  std::vector<int> worker_ends() const;
  void started();

  /// What to wait for: once anything of it is ready, call exchange().
  void add_to(std::vector<pollfd>& polls) const;

  /// Writes and reads as much as goes at once; returns the whole lines that came on the standard
  /// output. A last line without newline counts when the output ends. Throws ProtocolError on a
  /// line beyond all bounds.
  std::vector<std::string> exchange();

  /// More to feed, of an input that is held open.
  void say(std::string_view text);
  void end_input();

  /// What came on the standard error since the last call, whole lines only.
  std::string take_errors();

  /// The standard output and error have ended.
  bool closed() const { return !out_.read && !err_.read; }

 private:
  void feed();

  std::string input_;
  bool hold_input_;
  Pipe in_ = Pipe::create();
  Pipe out_ = Pipe::create();
  Pipe err_ = Pipe::create();
  std::string out_text_;
  std::string err_text_;
};

}  // namespace pacbench::cell
