#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.h"

namespace pacbench::run {

/// The progress of a run.
struct Snapshot {
  int cell = 0;  ///< from 1
  int cells = 0;
  std::string label;
  std::string link;
  std::int64_t seed = 0;
  std::int64_t iteration = 0;
  std::int64_t iterations = 0;  ///< of the cell; 0: unknown
  double accuracy = -1;         ///< of the last evaluation; negative before the first
  double step_ms = 0;
  double sent_mbit = 0;  ///< rate at which rank 0's worker sends
  double eta_s = -1;     ///< until the run's end; negative when unknown
};

/// "[2/6] topk-keep1% 100Mbps seed 1  45/150  acc 0.931  83 ms/it  96.2 Mbit/s  ETA 3:20"
std::string status_line(const Snapshot& snapshot);

/// "3:20" or "1:02:03".
std::string clock_text(double seconds);

/// Estimates how long the rest of a run will take. The running cell's own iterations tell how long
/// that cell will take. Each cell still to come is expected to take the mean of this time and of
/// the finished cells' times.
class Eta {
 public:
  explicit Eta(std::size_t cells) : left_{cells} {}

  void cell_starts() {
    start_ns_ = monotonic_ns();
    first_ns_ = 0;
  }

  void cell_ends() {
    finished_s_ += seconds(monotonic_ns() - start_ns_);
    ++finished_;
    --left_;
  }

  /// Returns the seconds until the run ends. Returns -1 until the cell reports a second iteration,
  /// since the start of a cell says nothing about its steps.
  double seconds_left(std::int64_t iteration, std::int64_t iterations) {
    const auto now_ns = monotonic_ns();
    if (first_ns_ == 0) {
      first_ns_ = now_ns;
      first_iteration_ = iteration;
    }
    if (iteration == first_iteration_) return -1;
    const double per_iteration_s =
        seconds(now_ns - first_ns_) / static_cast<double>(iteration - first_iteration_);
    const double left_s = per_iteration_s * static_cast<double>(iterations - iteration);
    const double cell_s = seconds(now_ns - start_ns_) + left_s;
    const double mean_s = (finished_s_ + cell_s) / static_cast<double>(finished_ + 1);
    return left_s + mean_s * static_cast<double>(left_ - 1);
  }

 private:
  std::size_t left_;
  std::size_t finished_ = 0;
  double finished_s_ = 0;
  std::int64_t start_ns_ = 0;
  std::int64_t first_ns_ = 0;  ///< when the cell's first iteration was reported
  std::int64_t first_iteration_ = 0;
};

/// Tells a person on stderr how far a run is: one line drawn again and again on a terminal, plain
/// lines elsewhere, or nothing.
class Progress {
 public:
  enum class Style { kNone, kPlain, kTerminal };

  /// Returns kTerminal when stderr is a terminal, else kPlain.
  static Style style_for_stderr();

  explicit Progress(Style style) : style_{style} {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Prints a line that stays.
  void say(const std::string& line);

  /// Shows `snapshot` unless the last one was shown a moment ago (0.2 s on a terminal, 10 s
  /// elsewhere).
  void update(const Snapshot& snapshot);

 private:
  void clear();

  Style style_;
  std::int64_t last_ns_ = 0;
  bool drawn_ = false;
};

}  // namespace pacbench::run
