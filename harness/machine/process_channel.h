#pragma once

#include <poll.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/subprocess.h"

namespace pacbench {

/// The three pipes to one program. No call waits for them, so that a program that stops reading or
/// writing holds up nobody.
class ProcessChannel {
 public:
  enum class Input { kThenEnd, kHeldOpen };

  /// exchange() writes `input` to the program's standard input. It then closes that input or, with
  /// kHeldOpen, leaves it open until end_input().
  explicit ProcessChannel(std::string input, Input then = Input::kThenEnd);

  /// A channel in which FIFOs at `path`.in and `path`.out take the place of standard input and
  /// output, for a program that has another use for these. Whatever process opens them by name can
  /// take part, so they have no end, and program_ends() does not matter but for the standard error.
  /// Throws std::system_error naming the path.
  static ProcessChannel named(const std::string& path);

  /// The program's descriptors 0, 1 and 2; started() closes this side's copies.
  std::vector<int> program_ends() const;
  void started();

  /// Adds the descriptors to poll; call exchange() when one is ready.
  void add_to(std::vector<pollfd>& polls) const;

  /// Writes and reads as much as is possible without waiting. Returns the complete lines that came
  /// on the standard output and, when that output has ended, a last line without newline. Throws
  /// ProtocolError on a line of more than 16 MiB.
  std::vector<std::string> exchange();

  /// Adds text to an input that is held open.
  void say(std::string_view text);
  void end_input();

  /// The standard error since the last call, in complete lines. A part of a line is returned too
  /// when the standard error has ended, or when more than 16 MiB have come.
  std::string take_errors();

  /// The bytes that have come on standard output and error together, parts of lines included.
  std::int64_t received_bytes() const { return received_bytes_; }

  /// Whether the standard output (unless it is a FIFO) and error have ended.
  bool closed() const { return (is_named_ || !out_.read) && !err_.read; }

  /// A part of a line that has come and not been returned by exchange().
  const std::string& rest() const { return out_text_; }

 private:
  void feed();
  void take(UniqueFd& from, std::string& text);

  ProcessChannel(Pipe in, Pipe out);

  std::string input_;
  bool hold_input_;
  bool is_named_ = false;
  Pipe in_;
  Pipe out_;
  Pipe err_ = Pipe::create();
  std::string out_text_;
  std::string err_text_;
  std::int64_t received_bytes_ = 0;
};

}  // namespace pacbench
