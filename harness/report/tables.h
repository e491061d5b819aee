#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/report/report.h"
#include "harness/table.h"

namespace pacbench {

/// Footnotes of one link, numbered in the order of its rows.
class Footnotes {
 public:
  explicit Footnotes(const LinkReport& link);

  std::string references(const ReportRow& row) const;  ///< "1, 2", or nothing
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, std::string> references_;
};

/// Time to accuracy: per target the median over seeds, range, how many got there, and speed-ups.
Table time_to_accuracy_table(const LinkReport& link);

/// What an iteration costs, how many it takes, what was sent, and how far to trust it.
Table cost_table(const LinkReport& link, const Footnotes& footnotes);

/// Without times: iterations to each target, accuracies, how near the aggregated gradient came to
/// the exact mean, and the bytes that the method declares.
Table learning_table(const LinkReport& link, const Footnotes& footnotes);

/// What was run, and over which network.
std::vector<std::string> header_lines(const ReportSection& section);

}  // namespace pacbench
