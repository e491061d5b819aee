#include <fmt/format.h>

#include "analysis/report/report.h"
#include "analysis/report/scaling.h"
#include "analysis/report/section_contents.h"
#include "analysis/report/wrapped.h"

namespace pacbench::report {
namespace {

std::string notes_text(const std::vector<std::string>& notes, std::size_t columns) {
  std::string text;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const auto mark = fmt::format("[{}] ", i + 1);
    if (i == 0) text += '\n';
    text += wrapped(mark + notes[i], mark.size(), columns);
  }
  return text;
}

std::string diagnosis_text(const LinkReport& link, std::size_t columns) {
  std::string text;
  for (const auto& line : diagnosis_lines(link)) {
    if (text.empty()) text += "\nWhere a method loses, and why\n";
    text += wrapped(line, 2, columns);
  }
  return text;
}

std::string link_text(const ReportSection& section, const LinkReport& link, std::size_t columns) {
  const Footnotes footnotes{link};
  std::string text;
  if (has_network(section)) text += fmt::format("\n{}", wrapped(link_title(link), 0, columns));
  if (link.probe) text += wrapped(probe_line(link), 0, columns);
  for (const auto& [title, table] : tables_of(section, link, footnotes)) {
    text += fmt::format("\n{}{}", wrapped(title, 0, columns), to_text(table, columns));
  }
  text += notes_text(footnotes.texts(), columns);
  return text + diagnosis_text(link, columns);
}

std::string section_text(const ReportSection& section, std::size_t columns) {
  std::string text;
  for (const auto& line : header_lines(section)) text += wrapped(line, 2, columns);
  if (section.links.empty()) text += "\nNo cell was run.\n";
  for (const auto& link : section.links) text += link_text(section, link, columns);
  text += fmt::format("\n{}", wrapped(legend(section), 0, columns));
  for (const auto& note : section.notes) text += wrapped(note, 0, columns);
  return text;
}

std::string scaling_text(const Report& report, std::size_t columns) {
  const auto table = scaling_table(scaling(report.sections));
  if (table.rows.empty()) return "";
  return fmt::format("\n{}{}", wrapped(kScalingTitle, 0, columns), to_text(table, columns));
}

/// A title with a line of the same width below it, at most `columns` wide.
std::string underlined(const std::string& title, std::size_t columns) {
  std::string line;
  for (std::size_t i = 0; i < std::min(display_width(title), columns); ++i) line += "═";
  return fmt::format("{}{}\n", wrapped(title, 0, columns), line);
}

}  // namespace

std::string render_text(const Report& report, std::size_t columns) {
  auto text = report.name + "\n";
  const bool several = report.sections.size() > 1;
  for (const auto& section : report.sections) {
    if (several) text += fmt::format("\n{}", underlined(section.title, columns));
    text += section_text(section, columns);
  }
  return text + scaling_text(report, columns);
}

}  // namespace pacbench::report
