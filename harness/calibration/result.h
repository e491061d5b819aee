#pragma once

#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/fabric/fabric_spec.h"
#include "harness/calibration/subject.h"
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

}  // namespace pacbench::calibration
