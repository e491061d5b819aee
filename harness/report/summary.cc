#include "harness/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "harness/report/headline.h"
#include "harness/report/parts.h"
#include "harness/report/words.h"
#include "harness/report/wrapped.h"

namespace pacbench::report {
namespace {

constexpr const char* kUnknown = "—";

/// A column that may be left out: those of the highest rank go first, 0 stays.
struct Candidate {
  int rank = 0;
  Column column;
  std::function<std::string(const ReportRow&)> text;
};

/// "1.29 [1.10–1.50]", and how many of the seeds when it is not all.
std::string time_words(const TargetSummary& summary) {
  const auto& time = summary.tta_s;
  if (time.total == 0) return kUnknown;
  auto words = reached(time);
  if (time.total > 1 && time.minimum) words += fmt::format(" [{}]", range(time));
  if (time.reached < time.total) words += " " + k_of_n(time);
  return words;
}

/// The row that needed the least time of those that needed more.
const ReportRow* next_after(const LinkReport& link, std::size_t index, const ReportRow& row) {
  const ReportRow* next = nullptr;
  const auto time = [&](const ReportRow& one) { return one.targets[index].tta_s.median; };
  for (const auto& other : link.rows) {
    if (&other == &row || !comparable(other, row) || !time(other) || !time(row)) continue;
    if (*time(other) < *time(row)) continue;
    if (next == nullptr || *time(other) < *time(*next)) next = &other;
  }
  return next;
}

std::string wire_ms(const LinkReport& link, const ReportRow& row) {
  if (link.rate_mbit <= 0 || !row.expected_bytes_per_iteration) return kUnknown;
  return significant(row.expected_bytes_per_iteration->median * 8e-3 / link.rate_mbit);
}

/// In points.
std::string against_all_reduce(const LinkReport& link, const ReportRow& row) {
  const auto* base = first_of(link.rows, "all-reduce");
  if (base == nullptr || !base->final_accuracy || !row.final_accuracy) return kUnknown;
  return fmt::format("{:+.1f}", 100 * (row.final_accuracy->median - base->final_accuracy->median));
}

std::string trust(const ReportRow& row) {
  if (row.suspect) return "suspect";
  if (row.done == 0) return kUnknown;
  return row.cpu_bound ? "cpu-bound" : "ok";
}

/// The target of the headline, else the last.
std::size_t decisive_target(const ReportSection& section, const LinkReport& link) {
  const auto& targets = link.rows.front().targets;
  const auto headline = headline_of(section, link);
  for (std::size_t i = 0; headline && i < targets.size(); ++i) {
    if (targets[i].target == headline->target) return i;
  }
  return targets.size() - 1;
}

std::vector<Candidate> candidates(const ReportSection& section, const LinkReport& link) {
  std::vector<Candidate> all;
  const auto add = [&](int rank, const std::string& group, const char* head, auto text) {
    all.push_back({rank, {group, head}, std::move(text)});
  };
  const bool tuned = std::any_of(link.rows.begin(), link.rows.end(),
                                 [](const ReportRow& row) { return row.tried > 1; });
  if (tuned) {
    add(3, "", "tried", [](const ReportRow& row) { return std::to_string(row.tried); });
  }
  const auto last = decisive_target(section, link);
  for (std::size_t i = 0; i < link.rows.front().targets.size(); ++i) {
    add(i == last ? 0 : 4, "TTA s to", "",
        [i](const ReportRow& row) { return time_words(row.targets[i]); });
    all.back().column.head = words_of(link.rows.front().targets[i].target);
  }
  const auto group = "× as fast to " + words_of(link.rows.front().targets[last].target);
  add(1, group, "AR",
      [last](const ReportRow& row) { return times(row.targets[last].speed_up_all_reduce); });
  add(2, group, "FP16",
      [last](const ReportRow& row) { return times(row.targets[last].speed_up_fp16); });
  add(6, group, "next", [&link, last](const ReportRow& row) {
    const auto* next = next_after(link, last, row);
    if (next == nullptr) return std::string{kUnknown};
    return fmt::format("{:.2f}",
                       *next->targets[last].tta_s.median / *row.targets[last].tta_s.median);
  });
  add(2, "step ms", "all",
      [](const ReportRow& row) { return number(row.time_per_iteration_s, 1e3); });
  add(7, "step ms", "wire", [&link](const ReportRow& row) { return wire_ms(link, row); });
  add(3, "MB", "a step",
      [](const ReportRow& row) { return number(row.measured_bytes_per_iteration, 1e-6); });
  add(5, "steps to", words_of(link.rows.front().targets[last].target).c_str(),
      [last](const ReportRow& row) { return iterations(row.targets[last].iterations); });
  add(8, "start", "up s", [](const ReportRow& row) { return number(row.overhead_s); });
  add(1, "final", "%", [](const ReportRow& row) {
    return row.final_accuracy ? fmt::format("{:.1f}", 100 * row.final_accuracy->median) : kUnknown;
  });
  add(3, "final", "Δ AR", [&link](const ReportRow& row) { return against_all_reduce(link, row); });
  add(0, "", "trust", trust);
  all.back().column.left = true;
  return all;
}

Table table_of(const LinkReport& link, const std::vector<Candidate>& chosen) {
  Table table;
  table.columns.push_back({"", "method", true});
  for (const auto& row : link.rows) table.rows.push_back({row.label});
  for (const auto& candidate : chosen) {
    table.columns.push_back(candidate.column);
    for (std::size_t i = 0; i < link.rows.size(); ++i) {
      table.rows[i].push_back(candidate.text(link.rows[i]));
    }
  }
  return table;
}

bool has_summary(const ReportSection& section) {
  return is_timed(section) && has_curve(section.scenario) && !section.links.empty();
}

std::string link_summary(const ReportSection& section, const LinkReport& link,
                         std::size_t columns) {
  auto text = fmt::format("\n{}", wrapped(link_title(link), 0, columns));
  if (const auto headline = headline_of(section, link)) {
    text += wrapped(headline_words(*headline, section, link) + ".", 0, columns);
  } else {
    text += wrapped("No two methods reached a target with all of their seeds.", 0, columns);
  }
  return text + "\n" + to_text(summary_table(section, link, columns));
}

constexpr const char* kLegend =
    "TTA: training-clock seconds to the sustained crossing, median over seeds [range], and with "
    "how many of them when not with all · AR: all-reduce; next: the method that needed more, and "
    "least of those · wire: what the bytes of a step need at the link's rate · start-up: pruning, "
    "masks and steps longer than the median · Δ AR: points of final accuracy more than all-reduce "
    "· "
    "cpu-bound: with more cores this row would be faster";

}  // namespace

Table summary_table(const ReportSection& section, const LinkReport& link, std::size_t columns) {
  auto chosen = candidates(section, link);
  while (width(table_of(link, chosen)) > columns) {
    const auto least =
        std::max_element(chosen.begin(), chosen.end(),
                         [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
    if (least->rank == 0) break;
    chosen.erase(least);
  }
  return table_of(link, chosen);
}

std::string render_summary(const Report& report, std::size_t columns) {
  if (std::none_of(report.sections.begin(), report.sections.end(), has_summary)) {
    return render_text(report, columns);
  }
  auto text = report.name + "\n";
  for (const auto& section : report.sections) {
    for (const auto& line : header_lines(section)) text += wrapped(line, 2, columns);
    for (const auto& link : section.links) {
      if (has_summary(section)) text += link_summary(section, link, columns);
    }
    if (!has_summary(section)) text += "\nno times to accuracy; --full has its tables\n";
    text += '\n';
  }
  return text + wrapped(kLegend, 0, columns);
}

}  // namespace pacbench::report
