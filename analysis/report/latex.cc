#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cstdint>
#include <map>

#include "analysis/report/headline.h"
#include "analysis/report/report.h"
#include "analysis/report/scaling.h"
#include "analysis/report/section_contents.h"
#include "analysis/report/words.h"

namespace pacbench::report {
namespace {

const std::map<std::uint32_t, const char*>& commands() {
  static const std::map<std::uint32_t, const char*> known{
      {'\\', "\\textbackslash{}"},
      {'{', "\\{"},
      {'}', "\\}"},
      {'$', "\\$"},
      {'&', "\\&"},
      {'#', "\\#"},
      {'%', "\\%"},
      {'_', "\\_"},
      {'^', "\\textasciicircum{}"},
      {'~', "\\textasciitilde{}"},
      {'<', "\\textless{}"},
      {'>', "\\textgreater{}"},
      {'|', "\\textbar{}"},
      {'"', "\\textquotedbl{}"},
      {'\'', "\\textquotesingle{}"},
      {'`', "\\textasciigrave{}"},
      // Two hyphens in a row would join to a dash.
      {'-', "-{}"},
      // At the start of a table row, "[" would begin an option of the "\\" before it.
      {'[', "{[}"},
      {']', "{]}"},
      {0xB0, "\\textdegree{}"},
      {0xB1, "$\\pm$"},
      {0xB5, "\\textmu{}"},
      {0xB7, "\\textperiodcentered{}"},
      {0xD7, "$\\times$"},
      {0x394, "$\\Delta$"},
      {0x2013, "--"},
      {0x2014, "---"},
      {0x2192, "$\\rightarrow$"},
      {0x2264, "$\\leq$"},
      {0x2265, "$\\geq$"}};
  return known;
}

/// Returns the code point that begins at `at`, and moves `at` behind it. Where no whole UTF-8
/// sequence begins, returns '?' and moves `at` on by one byte.
std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 && first < 0xF8 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : 0;
  if (more == 0 || first >= 0xF8 || at + static_cast<std::size_t>(more) > text.size()) return '?';
  std::uint32_t point = first & (0x3FU >> more);
  for (int i = 0; i < more; ++i) {
    if ((byte(at + static_cast<std::size_t>(i)) & 0xC0) != 0x80) return '?';
  }
  for (int i = 0; i < more; ++i) point = (point << 6) | (byte(at++) & 0x3FU);
  return point;
}

constexpr const char* kPreamble =
    R"(% Tables need \usepackage{booktabs,graphicx}; a wide one is shrunk to the line.
\documentclass[10pt]{article}
\usepackage[a4paper,landscape,margin=15mm]{geometry}
\usepackage[T1]{fontenc}
\usepackage{textcomp,booktabs,graphicx}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\newsavebox{\pacbenchtable}
\newcommand{\fitted}[1]{\savebox{\pacbenchtable}{#1}%
  \ifdim\wd\pacbenchtable>\linewidth\resizebox{\linewidth}{!}{\usebox{\pacbenchtable}}%
  \else\usebox{\pacbenchtable}\fi}
\begin{document}
\sloppy
)";

/// The headings of groups: neighbouring columns of one group share a heading, with a rule below it.
std::string group_lines(const Table& table) {
  std::string heads;
  std::string rules;
  for (std::size_t first = 0; first < table.columns.size();) {
    auto last = first + 1;
    const auto& group = table.columns[first].group;
    while (last < table.columns.size() && table.columns[last].group == group) ++last;
    if (first > 0) heads += " & ";
    heads += fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", last - first, latex_text(group));
    if (!group.empty()) rules += fmt::format("\\cmidrule(lr){{{}-{}}}", first + 1, last);
    first = last;
  }
  return fmt::format("{} \\\\\n{}\n", heads, rules);
}

template <typename Text>
std::string line(std::size_t columns, const Text& text) {
  std::string result;
  for (std::size_t i = 0; i < columns; ++i) {
    if (i > 0) result += " & ";
    result += latex_text(text(i));
  }
  return result + " \\\\\n";
}

std::string plain_tabular(const Table& table) {
  const auto columns = table.columns.size();
  std::string spec;
  for (const auto& column : table.columns) spec += column.left ? 'l' : 'r';
  auto text = fmt::format("\\begin{{tabular}}{{{}}}\n\\toprule\n", spec);
  text += group_lines(table);
  text += line(columns, [&](std::size_t i) { return table.columns[i].head; });
  text += "\\midrule\n";
  for (const auto& row : table.rows) {
    text += line(columns, [&](std::size_t i) { return row[i]; });
  }
  return text + "\\bottomrule\n\\end{tabular}";
}

std::string paragraphs(const std::vector<std::string>& lines, bool numbered = false) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (numbered) text += fmt::format("{{[}}{}{{]}} ", i + 1);
    text += fmt::format("{}\n\n", latex_text(lines[i]));
  }
  return text;
}

std::string titled_tabular(const std::string& title, const Table& table) {
  return fmt::format("\\textbf{{{}}}\\nopagebreak\n\n\\fitted{{{}}}\\par\\medskip\n\n",
                     latex_text(title), plain_tabular(table));
}

std::string link_latex(const ReportSection& section, const LinkReport& link) {
  const Footnotes footnotes{link};
  std::string text;
  if (has_network(section))
    text += fmt::format("\\subsection*{{{}}}\n", latex_text(link_title(link)));
  if (const auto line = headline_line(section, link); !line.empty()) {
    text += fmt::format("\\textbf{{{}.}}\n\n", latex_text(line));
  }
  if (link.probe) text += paragraphs({probe_line(link)});
  for (const auto& [title, table] : tables_of(section, link, footnotes)) {
    text += titled_tabular(title, table);
  }
  text += fmt::format("{{\\footnotesize\n{}", paragraphs(footnotes.texts(), true));
  const auto losses = diagnosis_lines(link);
  if (!losses.empty()) text += "\\textbf{Where a method loses, and why}\n\n" + paragraphs(losses);
  return text + "}\n";
}

std::string section_latex(const ReportSection& section) {
  auto text = fmt::format("\\section*{{{}}}\n", latex_text(section.title));
  text += paragraphs(header_lines(section));
  if (section.links.empty()) text += "No cell was run.\n\n";
  for (const auto& link : section.links) text += link_latex(section, link);
  text += fmt::format("{{\\footnotesize\n{}", paragraphs({legend(section)}));
  return text + paragraphs(section.notes) + "}\n";
}

/// The caption says what was trained, over which link, with which seeds and how it was measured.
std::string caption_of(const ReportSection& section, const LinkReport& link,
                       const std::string& version) {
  const auto what = has_summary(section)
                        ? "TTA: time to accuracy, median over the seeds and where all of them lie"
                        : "Medians over the seeds";
  const auto standing =
      headline_of(section, link)
          ? "; standing: beside the first row, by the 95 % interval of the ratio seed by seed"
          : "";
  return fmt::format("{}; {}{}. {}. pacbench {}, mode {}, comparison hash {}.",
                     header_lines(section).front(), link_title(link), standing, what, version,
                     word_of(section.mode), section.comparison_hash.substr(0, 12));
}

/// A name that may be part of a label: letters, digits and hyphens.
std::string label_word(std::string text) {
  for (auto& each : text) {
    if (std::isalnum(static_cast<unsigned char>(each)) == 0) each = '-';
  }
  return text;
}

Table table_for_paper(const ReportSection& section, const LinkReport& link) {
  if (has_summary(section)) return summary_table(section, link, kReportWidth);
  const Footnotes footnotes{link};
  return tables_of(section, link, footnotes).front().table;
}

}  // namespace

std::string latex_text(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto point = next_code_point(text, at);
    if (const auto known = commands().find(point); known != commands().end()) {
      result += known->second;
    } else if (point < 0x20 || point == 0x7F) {
      result += ' ';
    } else if (point < 0x7F) {
      result += static_cast<char>(point);
    } else {
      result += fmt::format("\\texttt{{U+{:04X}}}", point);
    }
  }
  return result;
}

std::string render_latex_tables(const Report& report, const std::string& version) {
  std::string text =
      "% Needs \\usepackage{booktabs,graphicx,textcomp}; a table that is too wide is shrunk.\n";
  for (const auto& section : report.sections) {
    for (const auto& link : section.links) {
      text += fmt::format(
          "\\begin{{table*}}\n\\centering\n\\caption{{{}}}\n\\label{{tab:{}-{}}}\n"
          "\\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{%\n{}}}\n"
          "\\end{{table*}}\n",
          latex_text(caption_of(section, link, version)), label_word(section.name),
          label_word(link.link), plain_tabular(table_for_paper(section, link)));
    }
  }
  return text;
}

std::string render_latex(const Report& report) {
  auto text = fmt::format("{}{{\\Large {}\\par}}\n", kPreamble, latex_text(report.name));
  for (const auto& section : report.sections) text += section_latex(section);
  const auto table = scaling_table(scaling(report.sections));
  if (!table.rows.empty()) text += titled_tabular(kScalingTitle, table);
  return text + "\\end{document}\n";
}

}  // namespace pacbench::report
