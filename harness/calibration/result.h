#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/fabric/fabric_spec.h"
#include "harness/calibration/plan.h"
#include "harness/machine/environment.h"
#include "harness/statistics/spread.h"

namespace pacbench::calibration {

/// The state of the machine during a measurement.
struct Circumstances {
  double idle_share = 1;         ///< of all CPUs' time
  double softirq_share = 0;      ///< of all CPUs' time
  double cpu_pressure = 0;       ///< share of time in which some task waited for a CPU (PSI)
  std::int64_t retransmits = 0;  ///< TCP segments sent again, all workers
  std::int64_t dropped = 0;      ///< packets, all links
};

/// The measurements of one subject: a value for each repetition, in the subject's unit.
struct Row {
  Subject subject;
  std::vector<double> measured;
  Circumstances circumstances;

  /// The spread of measured / ideal, or of the measured values where there is no ideal.
  statistics::Spread ratio(const Network& network) const;
  /// Whether the row meets its aim, or a message without one takes its least share of the time;
  /// absent where nothing is promised.
  std::optional<bool> met(const Network& network) const;
};

/// The result of `pacbench calibrate`: how exact the emulator is on this machine.
struct Calibration {
  static constexpr int kVersion = 1;

  std::string made;      ///< UTC
  std::string pacbench;  ///< version and commit
  Environment machine;
  Network network;
  std::string congestion_control = "cubic";
  int repeat = 0;
  bool real_time = false;  ///< communication threads were in a real-time class
  std::vector<Row> rows;
};

/// The calibration as JSON, each row also with its unit, ideal, ratio, aim and the reasons for a
/// missed aim.
Json to_json(const Calibration& calibration);

/// Throws ConfigError naming `source` when the document is not a calibration of format kVersion.
Calibration calibration_from_json(const std::string& source, const Json& document);

/// The reasons for a missed aim, in words; empty for a row that meets its aim or has none.
std::vector<std::string> reasons(const Row& row, const Calibration& calibration);

/// The calibration as a heading and tables. A table's lines have at most `columns` characters,
/// unless one rate alone needs more. Longer lines may follow: each missed aim with its reasons.
std::string render_text(const Calibration& calibration, std::size_t columns);

/// The table alone, for docs/FIDELITY.md.
std::string render_markdown(const Calibration& calibration);

/// Which aims were missed, a line each, such as
/// "message of 64 KB at 1000 Mbit/s: 0.840, aim ± 8.33333 %: REASON". The 0.840 is measured /
/// ideal. A subject without an ideal has its measured time there, in ms.
std::vector<std::string> missed_aims(const Calibration& calibration);

/// The path of a machine's calibration, below the data folder. Its name follows from CPU, cores and
/// kernel.
std::string saved_path(const Environment& machine);

/// Saves a calibration at saved_path() for the probes of later runs. Throws std::system_error
/// naming the path.
void save(const Calibration& calibration);

/// The measured goodput divided by the ideal goodput, for the slowest flow of a ring of workers
/// with every link at `rate_mbit`. It comes from the calibration that `pacbench calibrate` has
/// saved for this machine. Absent when there is no such calibration, when it has fewer workers, or
/// when all its rates are lower. Throws ConfigError naming the file when it is no calibration.
std::optional<double> calibrated_ring_share(double rate_mbit, int workers);

/// The same share by `calibration`; absent when that has fewer workers or only lower rates. Between
/// two calibrated rates it is interpolated linearly in the logarithm of the rate. Below the lowest
/// rate it is the share at the lowest rate.
std::optional<double> ring_share(const Calibration& calibration, double rate_mbit, int workers);

}  // namespace pacbench::calibration
