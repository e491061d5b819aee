#include <fmt/format.h>

#include "analysis/report/headline.h"
#include "analysis/report/report.h"
#include "analysis/report/scaling.h"
#include "analysis/report/section_contents.h"
#include "harness/text/markdown_text.h"

namespace pacbench::report {
namespace {

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
