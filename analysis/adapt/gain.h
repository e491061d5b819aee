#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "contract/network/network.h"
#include "harness/text/table.h"

namespace pacbench::adapt {

/// The time that one way of training takes to a target over links of constant rates.
struct Arm {
  std::string label;
  std::map<double, double> tta_s;  ///< by the rate in Mbit/s, at least one

  /// Returns the time at a rate. Between two measured rates the time is a + b / rate, a line
  /// through both: a is the time for computing, b / rate that for bytes. Below the lowest rate the
  /// line through the two lowest goes on, but not below the time at the lowest. Above the highest
  /// rate, and everywhere if only one rate was measured, the time is constant. Throws
  /// std::invalid_argument when no time was measured, or for a rate that is not above 0.
  double tta_at(double rate_mbit) const;
};

/// The arms of a section. An arm is a row whose cells are all done over links as declared, and
/// whose seeds all reached the target at every rate. All arms have the same seeds: a row with other
/// seeds than the first arm is left out.
struct Arms {
  Target target;
  std::vector<double> rates_mbit;          ///< ascending
  std::vector<Arm> medians;                ///< over the seeds
  std::vector<std::vector<Arm>> of_seeds;  ///< for each seed its arms, in the order of `medians`
  std::vector<std::string> left_out;       ///< labels of the rows that are no arms
};

/// Finds the arms of a section whose links differ in nothing but a constant rate. `target` is an
/// index into the targets of the section's rows. Throws ConfigError naming `source` in mode learn,
/// when the links differ in more than a constant rate or have fewer than two rates, when the target
/// does not exist, and when no row is an arm as `Arms` says.
Arms arms_of(const std::string& source, const report::ReportSection& section, std::size_t target);

/// How much an oracle shortens training over a link whose rate moves, compared with the best single
/// arm. The oracle knows the rate at every moment and each arm's time at that rate. It changes arms
/// at once and at no cost. In a time dt, training advances by the share dt / TTA(rate) of the way
/// to the target. The next arm goes on from what was learned with the one before. No method that
/// changes among these arms can gain more.
struct Gain {
  std::string single;   ///< the one arm that is the fastest over this very schedule
  double single_s = 0;  ///< its time to the target
  double oracle_s = 0;
  std::map<std::string, double> shares;  ///< fractions of the oracle's time, by arm
  /// single_s / oracle_s of each seed. The arms of both are chosen by the medians over the seeds,
  /// not by the seed's own times.
  std::vector<double> of_seeds;

  double factor() const { return single_s / oracle_s; }
};

/// Throws std::invalid_argument for a schedule without steps.
Gain gain_over(const Arms& arms, const RateSchedule& schedule);

/// The two fastest arms at one measured rate, held constant.
struct AtRate {
  double rate_mbit = 0;
  std::string fastest;
  double tta_s = 0;
  std::string next;  ///< the second fastest; empty with one arm
  double next_s = 0;
};

std::vector<AtRate> fastest_at_rates(const Arms& arms);

/// The arm whose time stays nearest to the fastest arm's time, judged at its worst measured rate.
struct Steady {
  std::string label;
  double worst_factor = 1;  ///< its time over that of the fastest, at that rate
  double rate_mbit = 0;
};

Steady steadiest(const Arms& arms);

/// A link whose rate moves, and what changing arms would gain over it.
struct MovingLink {
  std::string name;
  Gain gain;
};

/// All that `pacbench adapt` says.
struct Answer {
  static constexpr const char* kFormat = "pacbench.adapt/1";

  Arms arms;
  std::vector<AtRate> rates;
  Steady steady;
  std::vector<MovingLink> links;
};

/// A row for each rate: the fastest arm and the next one.
Table rates_table(const Answer& answer);

/// A row for each moving link: the best single arm, the oracle, and the oracle's arms. It also says
/// how many times as fast the oracle is, with the range over the seeds.
Table gains_table(const Answer& answer);

/// The text printed below the tables: how many arms there are, which rows are no arms, and the
/// steadiest arm.
std::string words(const Answer& answer, std::size_t columns);

Json to_json(const Answer& answer);

}  // namespace pacbench::adapt
