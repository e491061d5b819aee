#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "harness/text/table.h"

namespace pacbench::report {

/// Footnotes of one link, numbered in the order of its rows; a footnote that several rows share is
/// listed once.
class Footnotes {
 public:
  explicit Footnotes(const LinkReport& link);

  std::string references(const ReportRow& row) const;  ///< "1, 2", or nothing
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, std::string> references_;
};

struct TitledTable {
  const char* title;
  Table table;
};

/// The parts of a section that text, Markdown and LaTeX show, in the order of this file: what was
/// run, and over which network;
std::vector<std::string> header_lines(const ReportSection& section);

/// of each link its title, what it was shown to carry (nothing when nobody looked), its tables,
/// the notes to them, and where methods lose;
std::string link_title(const LinkReport& link);
std::string probe_line(const LinkReport& link);
std::vector<TitledTable> tables_of(const ReportSection& section, const LinkReport& link,
                                   const Footnotes& footnotes);
std::vector<std::string> diagnosis_lines(const LinkReport& link);

/// what the words and signs in its tables mean. Its own notes come last.
std::string legend(const ReportSection& section);

}  // namespace pacbench::report
