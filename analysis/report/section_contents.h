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

/// The functions below return the parts of a section that text, Markdown, LaTeX and HTML show, in
/// the order in which these show them. header_lines() says what was run, and over which network.
std::vector<std::string> header_lines(const ReportSection& section);

/// The next functions return the parts of one link: its title, its tables, and why methods are
/// slow. probe_line() has the share of its expected goodput that a probed flow got, for the flow
/// that is farthest from 100 %; it is empty without probes.
std::string link_title(const LinkReport& link);
std::string probe_line(const LinkReport& link);
std::vector<TitledTable> tables_of(const ReportSection& section, const LinkReport& link,
                                   const Footnotes& footnotes);
std::vector<std::string> diagnosis_lines(const LinkReport& link);

/// The meaning of the words and signs in the section's tables. The section's own notes are shown
/// after it.
std::string legend(const ReportSection& section);

}  // namespace pacbench::report
