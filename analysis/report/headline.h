#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "base/words.h"

namespace pacbench::report {

/// How a row stands beside the first row of a headline.
enum class Standing {
  kFirst,
  kNotToldApart,  ///< the interval of the ratio of their times contains 1
  kSlower,        ///< the interval lies above 1
  kNotJudged,     ///< nothing can be said, for the reason given
};

/// A row beside the first row of a headline, by docs/RULES.md.
struct Beside {
  std::string label;
  Standing standing = Standing::kNotJudged;
  std::string reason;               ///< why it is not judged; else empty
  std::optional<SpeedUp> of_first;  ///< of the first row over this one, where both have times
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
  Ends range_s;  ///< tta_within()
  std::size_t seeds = 0;
  std::vector<Beside>
      rows_beside;  ///< the link's other rows: those with times first, nearest first
};

/// The headline on the hardest target that at least two comparable rows reached with all of their
/// seeds. Absent when there is no such target, and in mode learn, which has no times.
std::optional<Headline> headline_of(const ReportSection& section, const LinkReport& link);

/// How the row with this label stands.
const Beside& beside(const Headline& headline, const std::string& label);

/// One sentence: which method is the fastest and by how much, or which ones cannot be told apart
/// from it or are not judged. With fewer than three seeds it says that they decide nothing. Empty
/// without a headline.
std::string headline_line(const ReportSection& section, const LinkReport& link);

}  // namespace pacbench::report

template <>
struct pacbench::Words<pacbench::report::Standing> {
  static constexpr std::array kAll{"first", "not told apart", "slower", "not judged"};
};
