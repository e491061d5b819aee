#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduce/claims.h"
#include "analysis/reproduce/measured.h"
#include "analysis/reproduce/reason.h"

namespace pacbench::reproduce {

/// Evidence on a claim: one arm over one link, against one baseline.
struct Evidence {
  std::string label;
  std::string kind;
  /// The name that all rows of one arm share: the method's options without its label. The pruning
  /// ratio is left out where lower ratios count too. For a tuned row it is the kind, where the
  /// claim's settings were chosen for each workload.
  std::string identity;
  std::string against;  ///< label of the baseline; empty where there is none
  std::string against_kind;
  Setting setting;
  bool has_curve = true;
  std::size_t place = 0;         ///< index of its link among the measurements
  std::optional<double> ratio;   ///< the arm's pruning ratio
  std::optional<double> target;  ///< the accuracy of times to accuracy

  /// The measured value of the claim's quantity. When it is absent, `step` and `limit` hold what is
  /// known. The value is infinite when only the arm reached the target, and 0 when only the
  /// baseline did.
  std::optional<double> value;
  std::optional<report::SpeedUpEnds> range;     ///< over the seeds, with more than one
  std::optional<report::SpeedUpEnds> interval;  ///< at 95 %, with enough seeds
  bool is_of_steps = false;                     ///< whether `interval` is of one seed's steps alone
  std::optional<report::SpeedUpEnds> of_runs;   ///< of several runs of the same cells
  std::optional<double> step;                   ///< ratio of the times per iteration
  std::optional<double> by_bytes;               ///< the ratio of declared bytes alone
  /// The most that a ratio of TTAs can be: at equal iterations where there is no curve.
  std::optional<double> limit;
  std::vector<double> speeds;  ///< `value` or `step` at half and double the assumed computing speed
  std::size_t seeds = 0;
  bool suspect = false;             ///< the link of the arm or the baseline was not as declared
  bool cpu_bound = false;           ///< whether the arm or the baseline is cpu-bound
  std::vector<Reason> not_counted;  ///< why it decides nothing; empty when it may decide
  std::vector<Reason> reasons;      ///< why our number differs from the paper's
};

/// All evidence that links[place] has for the claim. Each row of a kind in the claim's `arms` or
/// `beside` is compared with each of the claim's baselines, where something was measured. A claim
/// without baselines gets one piece of evidence for each row. None when the link is another link at
/// half or double computing speed.
std::vector<Evidence> evidence_of(const Claim& claim, const Claims& claims,
                                  const std::vector<MeasuredLink>& links, std::size_t place);

}  // namespace pacbench::reproduce
