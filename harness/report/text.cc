#include <fmt/format.h>

#include "harness/report/report.h"
#include "harness/report/tables.h"

namespace pacbench {
namespace {

constexpr const char* kTimeTitle =
    "Time to accuracy: training-clock seconds to the sustained crossing, median over seeds";
constexpr const char* kCostTitle = "Cost of an iteration, iterations needed, and how far to trust";
constexpr const char* kLearningTitle =
    "Learning: iterations to the sustained crossing, accuracies and gradients, medians over seeds";
constexpr const char* kLegend =
    "k/n: seeds that reached the target · DNF: half or more did not · ×AR, ×FP16: speed-up, median "
    "TTA of all-reduce or fp16 over that of the row · —: cannot be said";

constexpr const char* kLearningLegend =
    "k/n: seeds that reached the target · DNF: half or more did not · —: cannot be said";

std::string link_title(const LinkReport& link) {
  return fmt::format("Link {} ({})", link.link, link.words);
}

/// What the links were shown to carry; empty when nobody looked.
std::string probe_line(const LinkReport& link) {
  if (!link.probe) return "";
  return fmt::format(
      "Probes before and after the cells, all workers sending to the next one: worst flow {} % of "
      "the goodput that its rate carries\n",
      significant(100 * *link.probe));
}

/// Breaks at spaces so that no line is wider than the tables; later lines are indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns) {
  std::string result;
  std::string line;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > columns) {
      result += line + '\n';
      line = fmt::format("{:{}}{}", "", indent, word);
    } else {
      if (at > 0) line += ' ';
      line += word;
    }
    at = end + 1;
  }
  return result + line + '\n';
}

const char* legend(const ReportSection& section) {
  return is_timed(section) ? kLegend : kLearningLegend;
}

struct Titled {
  const char* title;
  Table table;
};

std::vector<Titled> tables_of(const LinkReport& link, const Footnotes& footnotes, bool timed) {
  if (!timed) return {{kLearningTitle, learning_table(link, footnotes)}};
  return {{kTimeTitle, time_to_accuracy_table(link)}, {kCostTitle, cost_table(link, footnotes)}};
}

std::string link_text(const LinkReport& link, bool timed, std::size_t columns) {
  const Footnotes footnotes{link};
  auto text = timed ? fmt::format("\n{}\n{}", link_title(link), probe_line(link)) : "";
  for (const auto& [title, table] : tables_of(link, footnotes, timed)) {
    text += fmt::format("\n{}{}", wrapped(title, 0, columns), to_text(table, columns));
  }
  for (std::size_t i = 0; i < footnotes.texts().size(); ++i) {
    const auto mark = fmt::format("[{}] ", i + 1);
    if (i == 0) text += '\n';
    text += wrapped(mark + footnotes.texts()[i], mark.size(), columns);
  }
  return text;
}

std::string link_markdown(const LinkReport& link, bool timed, const char* heading) {
  const Footnotes footnotes{link};
  auto text = timed ? fmt::format("\n{} {}\n", heading, link_title(link)) : "";
  if (link.probe) text += '\n' + probe_line(link);
  for (const auto& [title, table] : tables_of(link, footnotes, timed)) {
    text += fmt::format("\n{}.\n\n{}", title, to_markdown(table));
  }
  for (std::size_t i = 0; i < footnotes.texts().size(); ++i) {
    text += fmt::format("{}{}. {}\n", i == 0 ? "\n" : "", i + 1, footnotes.texts()[i]);
  }
  return text;
}

std::string section_text(const ReportSection& section, std::size_t columns) {
  std::string text;
  for (const auto& line : header_lines(section)) text += wrapped(line, 2, columns);
  if (section.links.empty()) text += "\nNo cell was run.\n";
  for (const auto& link : section.links) text += link_text(link, is_timed(section), columns);
  text += '\n';
  text += wrapped(legend(section), 0, columns);
  for (const auto& note : section.notes) text += wrapped(note, 0, columns);
  return text;
}

std::string section_markdown(const ReportSection& section, const char* heading) {
  std::string text;
  for (const auto& line : header_lines(section)) text += line + "  \n";
  if (section.links.empty()) text += "\nNo cell was run.\n";
  for (const auto& link : section.links) text += link_markdown(link, is_timed(section), heading);
  text += fmt::format("\n{}\n\n", legend(section));
  for (const auto& note : section.notes) text += fmt::format("- {}\n", note);
  return text;
}

/// A title with a line below it, as wide as both.
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
  return text;
}

std::string render_markdown(const Report& report) {
  auto text = fmt::format("# {}\n\n", report.name);
  if (report.sections.size() == 1) return text + section_markdown(report.sections.front(), "##");
  for (const auto& section : report.sections) {
    text += fmt::format("## {}\n\n{}\n", section.title, section_markdown(section, "###"));
  }
  return text;
}

}  // namespace pacbench
