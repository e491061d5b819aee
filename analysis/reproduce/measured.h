#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/merge.h"
#include "analysis/report/report.h"

namespace pacbench::reproduce {

/// The setting of a measurement, in the words of a scenario.
struct Setting {
  std::string network;
  std::string dataset;
  double rate_mbit = 0;  ///< 0 in mode learn
  std::string topology;  ///< empty in mode learn
  Mode mode = Mode::kEmulate;
  std::string computing;  ///< hardware that timed computing, or the assumption; empty in mode learn
  /// The initial weights, as the scenario's `initial` names them: "random", "pretrain", "file";
  /// empty where nothing was learned.
  std::string start;
};

/// One link of the report.
struct MeasuredLink {
  Setting setting;
  const report::ReportSection* section = nullptr;
  const report::LinkReport* link = nullptr;
  const RunResult* result = nullptr;
  bool has_curve = true;            ///< false in mode compose without a curve: nothing was learned
  Json profile;                     ///< the scenario's profile of the link; empty in mode learn
  std::vector<std::size_t> speeds;  ///< indices of the same link at half and double computing speed
  bool is_speed = false;            ///< half or double speed of another link: not a measurement

  /// Returns a method's entry in the canonical scenario.
  const Json& method(const std::string& label) const;
  /// A number of the done cells of a method, by seed.
  report::TimesOfSeeds of_seeds(const std::string& label, double CellResult::*number) const;
  /// The same for a number that some cells lack; these cells are left out.
  report::TimesOfSeeds of_seeds(const std::string& label,
                                std::optional<double> CellResult::*number) const;
  /// The same for a number that is computed from a cell.
  report::TimesOfSeeds of_seeds(const std::string& label,
                                double (*number)(const CellResult&)) const;
};

/// All that was measured, in the order in which it was given.
class Measurements {
 public:
  /// Merges runs that measured the same thing; other runs need not agree. Throws ConfigError as
  /// merge_runs does, for a file that is no manifest, for a run of the user's own programs alone,
  /// and for a simulated run.
  explicit Measurements(const std::vector<store::NamedResult>& runs);
  Measurements(const Measurements&) = delete;
  Measurements& operator=(const Measurements&) = delete;

  const std::vector<MeasuredLink>& links() const { return links_; }
  const report::Report& report() const { return report_; }

 private:
  std::vector<report::MergedRuns> groups_;
  report::Report report_;
  std::vector<MeasuredLink> links_;
};

}  // namespace pacbench::reproduce
