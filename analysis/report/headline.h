#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "harness/statistics/paired_ratio.h"

namespace pacbench::report {

/// The speed-up of the first row of a headline over another row.
struct Lead {
  std::string over;  ///< label
  double value = 1;  ///< the other row's median TTA / the first row's
  /// The ratio over pairs of the same seed, with its interval; absent with fewer than three seeds.
  std::optional<statistics::PairedRatio> paired;
  /// Whether the first row is faster, by docs/RULES.md; otherwise the two rows tie.
  bool is_faster = false;
};

/// The method that reached a target first over a link, and the numbers for a sentence on it.
struct Headline {
  Target target;
  std::size_t place = 0;  ///< index of the target among the targets of the rows
  /// The number of rows that were compared. They have the same seeds, no cell that was skipped or
  /// interrupted, and links as declared. A row with a failed cell counts, as DNF.
  std::size_t rows = 0;
  std::size_t left_out = 0;  ///< the link's other rows
  std::string first;         ///< label of the row with the least median TTA
  double tta_s = 0;
  Ends range_s;  ///< over all seeds: from the evaluation before the earliest crossing to the latest
  std::size_t seeds = 0;
  std::vector<Lead> leads;  ///< over other rows whose seeds all reached it, nearest first
};

/// The headline on the hardest target that at least two comparable rows reached with all of their
/// seeds. Absent when there is no such target, and in mode learn, which has no times.
std::optional<Headline> headline_of(const ReportSection& section, const LinkReport& link);

/// One sentence: which method is the fastest, or which ones tie, and by how much. With fewer than
/// three seeds the sentence says that they decide nothing.
std::string headline_words(const Headline& headline, const ReportSection& section,
                           const LinkReport& link);

/// The sentence of a link; empty where there is nothing to say.
std::string headline_line(const ReportSection& section, const LinkReport& link);

}  // namespace pacbench::report
