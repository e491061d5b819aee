#pragma once

#include <cstdint>
#include <string>

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
