#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "analysis/report/headline.h"
#include "analysis/report/section_contents.h"
#include "analysis/report/words.h"
#include "contract/catalogue/python_name.h"
#include "contract/scenario/program.h"

namespace pacbench::report {
namespace {

/// A column that may be left out: columns of the highest rank are left out first, those of rank 0
/// stay.
struct Candidate {
  int rank = 0;
  Column column;
  std::function<std::string(const ReportRow&)> text;
};

/// "1.29 [1.10–1.50]", and how many of the seeds reached the target when not all did.
std::string time_words(const TargetSummary& summary) {
  const auto& time = summary.tta_s;
  if (time.total == 0) return kNone;
  auto words = reached(time);
  if (tta_within(summary)) words += fmt::format(" [{}]", tta_range(summary));
  if (time.reached < time.total) words += " " + k_of_n(time);
  return words;
}

/// The next slower row: of those that needed as much time as `row` or more, the one with the least.
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
  const auto wire_s = least_wire_s(link, row);
  return wire_s ? significant(*wire_s * 1e3) : kNone;
}

/// By how many points the row's final accuracy exceeds that of all-reduce.
std::string against_all_reduce(const LinkReport& link, const ReportRow& row) {
  const auto* base = first_of(link.rows, "all-reduce");
  if (base == nullptr || !base->final_accuracy || !row.final_accuracy) return kNone;
  const auto whole = [](const ReportRow& one) { return one.failed + one.unfinished == 0; };
  if (!whole(*base) || !whole(row) || base->seeds != row.seeds) return kNone;
  return fmt::format("{:+.1f}", 100 * (row.final_accuracy->median - base->final_accuracy->median));
}

/// Says how far a row can be trusted: whether its link was as declared, else whether others took
/// the machine away and whether the run's own work was the limit.
std::string trust_in_numbers(const ReportRow& row) {
  if (row.suspect || row.done == 0 || row.simulated) return link_word(row);
  if (row.machine != "disturbed" && row.machine != "unknown") return host_word(row);
  if (!row.cpu_bound) return machine_word(row);
  return row.machine == "unknown" ? host_word(row) : machine_word(row) + ", " + host_word(row);
}

constexpr const char* kInPython = "in Python";

bool is_in_python(const ReportRow& row) { return is_users_class(row.method); }

/// As trust_in_numbers(), and whether the method is a user's class.
std::string trust(const ReportRow& row) {
  return trust_in_numbers(row) + (is_in_python(row) ? fmt::format(", {}", kInPython) : "");
}

/// All columns that a summary may have, from left to right.
class Candidates {
 public:
  Candidates(const ReportSection& section, const LinkReport& link)
      : link_{link},
        headline_{headline_of(section, link)},
        decisive_{headline_ ? headline_->place : link.rows.front().targets.size() - 1} {
    add_run();
    add_times();
    add_standings();
    add_speed_ups();
    add_steps();
    add_ends();
  }

  std::vector<Candidate> take() { return std::move(all_); }

 private:
  using Text = std::function<std::string(const ReportRow&)>;

  void add(int rank, const std::string& group, const std::string& head, Text text) {
    all_.push_back({rank, {group, head}, std::move(text)});
  }

  std::string target_words(std::size_t index) const {
    return words_of(link_.rows.front().targets[index].target);
  }

  void add_run() {
    if (is_of_several_runs(link_)) add(1, "", "run", &ReportRow::run);
    if (!any_is_tuned(link_)) return;
    add(4, "", "tried", [](const ReportRow& row) { return std::to_string(row.tried); });
  }

  void add_times() {
    for (std::size_t i = 0; i < link_.rows.front().targets.size(); ++i) {
      add(i == decisive_ ? 0 : 4, "to " + target_words(i), "TTA s",
          [i](const ReportRow& row) { return time_words(row.targets[i]); });
    }
  }

  void add_standings() {
    if (!headline_) return;
    add(1, "to " + target_words(decisive_), "standing",
        [headline = headline_](const ReportRow& row) {
          if (row.label == headline->first) return word_of(Standing::kFirst);
          return word_of(beside(*headline, row.label).standing);
        });
    all_.back().column.left = true;
  }

  void add_speed_ups() {
    const auto group = "× as fast to " + target_words(decisive_);
    const auto at = decisive_;
    // Programs of the user's own have no baseline among the methods.
    if (!is_of_programs(link_)) {
      add(1, group, "AR",
          [at](const ReportRow& row) { return times(row.targets[at].speed_up_all_reduce); });
      add(2, group, "FP16",
          [at](const ReportRow& row) { return times(row.targets[at].speed_up_fp16); });
    }
    add(6, group, "next", [this_link = &link_, at](const ReportRow& row) {
      const auto* next = next_after(*this_link, at, row);
      if (next == nullptr) return std::string{kNone};
      return fmt::format("{:.2f}", *next->targets[at].tta_s.median / *row.targets[at].tta_s.median);
    });
  }

  void add_steps() {
    constexpr const char* kStep = "a step";
    const auto at = decisive_;
    add(2, kStep, "ms", [](const ReportRow& row) { return number(row.time_per_iteration_s, 1e3); });
    add(7, kStep, "of it wire",
        [this_link = &link_](const ReportRow& row) { return wire_ms(*this_link, row); });
    add(3, kStep, "MB",
        [](const ReportRow& row) { return number(row.measured_bytes_per_iteration, 1e-6); });
    add(5, "", "steps",
        [at](const ReportRow& row) { return iterations(row.targets[at].iterations); });
    add(8, "", "start-up s", [](const ReportRow& row) { return number(row.overhead_s); });
  }

  void add_ends() {
    const auto heading = final_heading(link_);
    if (has_losses_alone(link_)) {
      add(1, "", heading + " loss", [](const ReportRow& row) { return number(row.final_loss); });
    } else {
      add(1, "", heading + " %", [](const ReportRow& row) {
        return row.final_accuracy ? fmt::format("{:.1f}", 100 * row.final_accuracy->median) : kNone;
      });
    }
    // Where training stopped at the target, the last accuracy says little.
    if (!is_of_programs(link_) && heading == "final") {
      add(4, "", "Δ AR", [this_link = &link_](const ReportRow& row) {
        return against_all_reduce(*this_link, row);
      });
    }
    add(0, "", "trust", trust);
    all_.back().column.left = true;
  }

  const LinkReport& link_;
  std::optional<Headline> headline_;
  std::size_t decisive_;  ///< index of the headline's target; without one, of the last target
  std::vector<Candidate> all_;
};

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

/// A line for each row with cells that are not done: why the first of them failed or was not run. A
/// row's notes begin with these reasons (row_notes).
std::string reasons_for_gaps(const LinkReport& link, std::size_t columns) {
  std::string text;
  for (const auto& row : link.rows) {
    const auto gaps = row.failed + row.unfinished;
    if (gaps == 0) continue;
    const auto more =
        gaps == 1 ? "" : fmt::format("; {} more not done, see pacbench report --full", gaps - 1);
    text += wrapped(fmt::format("{}: {}{}", row.label, row.notes.front(), more), 2, columns);
  }
  return text.empty() ? text : "\n" + text;
}

/// Says why there is no headline, where there is none.
std::string words_without_headline(const LinkReport& link) {
  if (link.rows.empty() || !std::ranges::all_of(link.rows, &ReportRow::suspect)) {
    return "No two comparable rows reached a target with all of their seeds.";
  }
  const auto& notes = link.rows.front().notes;
  const auto note = std::ranges::find_if(
      notes, [](const std::string& each) { return each.starts_with("suspect"); });
  return "No row is compared, since the links of all rows are suspect" +
         (note == notes.end() ? "." : fmt::format(". {}: {}", link.rows.front().label, *note));
}

std::string link_summary(const ReportSection& section, const LinkReport& link, const Table& table,
                         std::size_t columns) {
  auto text = fmt::format("\n{}", wrapped(link_title(link), 0, columns));
  const auto line = headline_line(section, link);
  text += wrapped(line.empty() ? words_without_headline(link) : line + ".", 0, columns);
  return text + "\n" + to_text(table) + reasons_for_gaps(link, columns);
}

/// The legend's explanation of the column with the heading `head`. Where `of_programs` is not null,
/// it replaces `words` in reports on programs of the user's own.
struct Explanation {
  const char* head;
  const char* words;
  const char* of_programs = nullptr;
};

constexpr Explanation kExplanations[] = {
    {"run",
     "run: the run that measured a row; AR and FP16 are against those of the same run, "
     "where it has them"},
    {"tried", "tried: number of settings that were tried before this one was chosen"},
    {"TTA s",
     "TTA: seconds on the training clock to the sustained crossing of the target, median over "
     "seeds [where all of them lie]; k/n: only k of n seeds reached the target; DNF: half of the "
     "seeds or more did "
     "not",
     "TTA: seconds on the program's training clock to the sustained crossing of the target, median "
     "over seeds [where all of them lie]; k/n: only k of n seeds reached the target; DNF: half of "
     "the seeds or "
     "more did not"},
    {"standing",
     "not told apart: the seeds do not show whether it is slower than the first; not judged: too "
     "few seeds, bound by the CPU, or not comparable"},
    {"AR", "AR: all-reduce"},
    {"next", "next: the next slower method"},
    {"of it wire", "of it wire: the ms of a step that its bytes need at least, at the link's rate"},
    {"steps",
     "steps: iterations to the target that the sentence above the table names, else to the last "
     "target"},
    {"start-up s",
     "start-up: training time beyond iterations × median step, for pruning, agreement on masks and "
     "slow steps",
     "start-up: training time beyond iterations × median step"},
    {"Δ AR", "Δ AR: final accuracy minus that of all-reduce, in points"},
    {"trust", "cpu-bound: with more cores this row would be faster"},
    {kInPython, "in Python: it encodes more slowly than the same method in C++ would"},
};

/// The explanations of the columns with these headings.
std::string legend_of(const std::set<std::string>& heads, bool of_programs) {
  std::vector<std::string> parts;
  for (const auto& each : kExplanations) {
    if (!heads.contains(each.head)) continue;
    const bool is_other = of_programs && each.of_programs != nullptr;
    parts.emplace_back(is_other ? each.of_programs : each.words);
  }
  return fmt::format("{}", fmt::join(parts, " · "));
}

}  // namespace

bool has_summary(const ReportSection& section) {
  return has_network(section) && has_curve(section.scenario) && !section.links.empty() &&
         !section.links.front().rows.front().targets.empty();
}

Table summary_table(const ReportSection& section, const LinkReport& link, std::size_t columns) {
  auto chosen = Candidates{section, link}.take();
  while (width(table_of(link, chosen)) > columns) {
    const auto least = std::ranges::max_element(chosen, {}, &Candidate::rank);
    if (least->rank == 0) break;
    chosen.erase(least);
  }
  return table_of(link, chosen);
}

std::string render_summary(const Report& report, std::size_t columns) {
  if (std::ranges::none_of(report.sections, has_summary)) {
    return render_text(report, columns);
  }
  auto text = report.name + "\n";
  std::set<std::string> heads;
  for (const auto& section : report.sections) {
    for (const auto& line : header_lines(section)) text += wrapped(line, 2, columns);
    for (const auto& link : section.links) {
      if (!has_summary(section)) continue;
      const auto table = summary_table(section, link, columns);
      for (const auto& column : table.columns) heads.insert(column.head);
      if (std::ranges::any_of(link.rows, is_in_python)) heads.insert(kInPython);
      text += link_summary(section, link, table, columns);
    }
    if (!has_summary(section))
      text += "\nThis section has no times to accuracy; --full prints its tables.\n";
    text += '\n';
    for (const auto& note : section.notes) text += wrapped(note, 0, columns);
  }
  const bool own = std::ranges::all_of(report.sections, [](const ReportSection& section) {
    return is_program_alone(section.scenario);
  });
  return text + wrapped(legend_of(heads, own), 0, columns) + python_lines_of_fastest(report);
}

}  // namespace pacbench::report
