#include "harness/run/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>

namespace pacbench::run {
namespace {

constexpr std::int64_t kTerminalPeriodNs = 200'000'000;
constexpr std::int64_t kPlainPeriodNs = 10'000'000'000;

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string clock_text(double seconds) {
  const auto all = std::llround(seconds);
  if (all >= 3600) return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
  return fmt::format("{}:{:02}", all / 60, all % 60);
}

std::string status_line(const Snapshot& snapshot) {
  auto text = fmt::format("[{}/{}] {} {} seed {}  {}", snapshot.cell, snapshot.cells,
                          snapshot.label, snapshot.link, snapshot.seed, snapshot.iteration);
  if (snapshot.iterations > 0) text += fmt::format("/{}", snapshot.iterations);
  if (snapshot.accuracy >= 0) text += fmt::format("  acc {:.3f}", snapshot.accuracy);
  if (snapshot.step_ms > 0) {
    text += fmt::format("  {:.0f} ms/it", snapshot.step_ms);
  }
  if (snapshot.sent_mbit > 0) text += fmt::format("  {:.1f} Mbit/s", snapshot.sent_mbit);
  if (snapshot.eta_s >= 0) text += "  ETA " + clock_text(snapshot.eta_s);
  return text;
}

Progress::Style Progress::style_for_stderr() {
  return ::isatty(STDERR_FILENO) == 1 ? Style::kTerminal : Style::kPlain;
}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

void Progress::say(const std::string& line) {
  if (style_ == Style::kNone) return;
  clear();
  fmt::print(stderr, "{}\n", line);
}

void Progress::update(const Snapshot& snapshot) {
  if (style_ == Style::kNone) return;
  const auto now_ns = monotonic_ns();
  const auto period_ns = style_ == Style::kTerminal ? kTerminalPeriodNs : kPlainPeriodNs;
  if (now_ns - last_ns_ < period_ns) return;
  last_ns_ = now_ns;
  const auto line = status_line(snapshot);
  if (style_ == Style::kPlain) {
    fmt::print(stderr, "{}\n", line);
    return;
  }
  fmt::print(stderr, "\r\x1b[K{}", line.substr(0, terminal_width() - 1));
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace pacbench::run
