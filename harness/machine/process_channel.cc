#include "harness/machine/process_channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/errors.h"
#include "base/text_file.h"

namespace pacbench {
namespace {

constexpr auto kMaxLine = LineReader::kMaxBytes;

void make_nonblocking(const UniqueFd& fd) {
  check("set non-blocking", ::fcntl(fd.get(), F_SETFL, O_NONBLOCK));
}

/// Makes a FIFO and opens both ends.
Pipe fifo(const std::string& path) {
  Pipe pipe;
  const auto attempt = "make the FIFO " + path;
  check(attempt.c_str(), ::mkfifo(path.c_str(), S_IRUSR | S_IWUSR));
  // A reader that waited would wait for a writer.
  pipe.read.reset(check(attempt.c_str(), ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)));
  pipe.write.reset(check(attempt.c_str(), ::open(path.c_str(), O_WRONLY | O_CLOEXEC)));
  return pipe;
}

}  // namespace

ProcessChannel::ProcessChannel(std::string input, Input then)
    : ProcessChannel{Pipe::create(), Pipe::create()} {
  input_ = std::move(input);
  hold_input_ = then == Input::kHeldOpen;
}

ProcessChannel ProcessChannel::named(const std::string& path) {
  ProcessChannel channel{fifo(path + ".in"), fifo(path + ".out")};
  channel.is_named_ = true;
  return channel;
}

ProcessChannel::ProcessChannel(Pipe in, Pipe out)
    : hold_input_{true}, in_{std::move(in)}, out_{std::move(out)} {
  make_nonblocking(in_.write);
  make_nonblocking(out_.read);
  make_nonblocking(err_.read);
}

std::vector<int> ProcessChannel::program_ends() const {
  return {in_.read.get(), out_.write.get(), err_.write.get()};
}

void ProcessChannel::started() {
  err_.write.reset();
  if (is_named_) return;
  in_.read.reset();
  out_.write.reset();
}

void ProcessChannel::add_to(std::vector<pollfd>& polls) const {
  const bool to_feed = !input_.empty() || !hold_input_;
  if (in_.write && to_feed) polls.push_back({in_.write.get(), POLLOUT, 0});
  if (out_.read) polls.push_back({out_.read.get(), POLLIN, 0});
  if (err_.read) polls.push_back({err_.read.get(), POLLIN, 0});
}

void ProcessChannel::feed() {
  while (in_.write && !input_.empty()) {
    const auto count = ::write(in_.write.get(), input_.data(), input_.size());
    if (count > 0) {
      input_.erase(0, static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      // The program reads no more input; its end or its silence will show why.
      input_.clear();
    }
  }
  if (!hold_input_) in_.write.reset();
}

void ProcessChannel::say(std::string_view text) {
  input_ += text;
  feed();
}

void ProcessChannel::end_input() {
  hold_input_ = false;
  feed();
}

/// Reads what is there, but stops when `text` exceeds kMaxLine. Closes the descriptor when the
/// stream has ended.
void ProcessChannel::take(UniqueFd& from, std::string& text) {
  char buffer[65536];
  while (from) {
    const auto count = ::read(from.get(), buffer, sizeof buffer);
    if (count > 0) {
      text.append(buffer, static_cast<std::size_t>(count));
      received_bytes_ += count;
      if (text.size() > kMaxLine) return;
    } else if (count == 0) {
      from.reset();
    } else if (errno != EINTR) {
      return;
    }
  }
}

std::vector<std::string> ProcessChannel::exchange() {
  feed();
  take(err_.read, err_text_);
  take(out_.read, out_text_);
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (auto end = out_text_.find('\n'); end != std::string::npos;
       end = out_text_.find('\n', start)) {
    lines.push_back(out_text_.substr(start, end - start));
    start = end + 1;
  }
  out_text_.erase(0, start);
  if (!out_.read && !out_text_.empty()) lines.push_back(std::exchange(out_text_, {}));
  if (out_text_.size() > kMaxLine) {
    throw ProtocolError{
        fmt::format("found a line of more than {} MiB, expected shorter lines", kMaxLine >> 20)};
  }
  return lines;
}

std::string ProcessChannel::take_errors() {
  if (!err_.read || err_text_.size() > kMaxLine) return std::exchange(err_text_, {});
  const auto newline = err_text_.rfind('\n');
  if (newline == std::string::npos) return {};
  auto text = err_text_.substr(0, newline + 1);
  err_text_.erase(0, newline + 1);
  return text;
}

}  // namespace pacbench
