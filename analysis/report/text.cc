#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/headline.h"
#include "analysis/report/report.h"
#include "analysis/report/scaling.h"
#include "analysis/report/section_contents.h"
#include "analysis/report/words.h"

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

std::string listed(const std::vector<std::string>& lines, bool numbered) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 0) text += '\n';
    text += numbered ? fmt::format("{}. ", i + 1) : "- ";
    text += markdown_text(lines[i]) + '\n';
  }
  return text;
}

std::string link_markdown(const ReportSection& section, const LinkReport& link,
                          const char* heading) {
  const Footnotes footnotes{link};
  std::string text;
  if (has_network(section))
    text += fmt::format("\n{} {}\n", heading, markdown_text(link_title(link)));
  if (const auto line = headline_line(section, link); !line.empty()) {
    text += fmt::format("\n**{}.**\n", markdown_text(line));
  }
  if (link.probe) text += fmt::format("\n{}\n", probe_line(link));
  for (const auto& [title, table] : tables_of(section, link, footnotes)) {
    text += fmt::format("\n{}.\n\n{}", title, to_markdown(table));
  }
  text += listed(footnotes.texts(), true);
  const auto losses = diagnosis_lines(link);
  if (!losses.empty()) text += "\nWhere a method loses, and why:\n";
  return text + listed(losses, false);
}

std::string section_markdown(const ReportSection& section, const char* heading) {
  std::string text;
  for (const auto& line : header_lines(section)) text += markdown_text(line) + "  \n";
  if (section.links.empty()) text += "\nNo cell was run.\n";
  for (const auto& link : section.links) text += link_markdown(section, link, heading);
  text += fmt::format("\n{}\n", legend(section));
  return text + listed(section.notes, false);
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

std::string render_markdown(const Report& report) {
  auto text = fmt::format("# {}\n\n", markdown_text(report.name));
  if (report.sections.size() == 1) return text + section_markdown(report.sections.front(), "##");
  for (const auto& section : report.sections) {
    text += fmt::format("## {}\n\n{}\n", markdown_text(section.title),
                        section_markdown(section, "###"));
  }
  const auto table = scaling_table(scaling(report.sections));
  if (!table.rows.empty()) text += fmt::format("## {}\n\n{}", kScalingTitle, to_markdown(table));
  return text;
}

}  // namespace pacbench::report
