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

/// The model and data that a canonical scenario trains: "mlp hidden [512,512] on digits", or the
/// command of a program of the user's own.
std::string workload_words(const Json& scenario);

/// Titles each section by what it trains. Where sections differ in another value of the workload,
/// in the number of workers or in the mode, the title says this too.
void fill_titles(std::vector<ReportSection>& sections);

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

/// Whether the link's rows are programs of the user's own, which report few numbers.
bool is_of_programs(const LinkReport& link);

/// Whether some row is a program that reported no steps, so that its numbers are of the whole
/// program.
bool any_is_whole(const LinkReport& link);

/// The heading of the last accuracy or loss: "at stop" where training of any row stopped at the
/// target, else "final".
std::string final_heading(const LinkReport& link);

/// Whether no row has an accuracy and some have a loss: rows of programs that report only a loss.
bool has_losses_alone(const LinkReport& link);

/// Whether the table of times shows intervals, or ranges in their place; with one seed it shows
/// neither.
bool has_intervals(const LinkReport& link);
bool has_ranges(const LinkReport& link);

/// Whether any row has the best of several settings.
bool any_is_tuned(const LinkReport& link);
/// Whether rows of the link were measured in different runs.
bool is_of_several_runs(const LinkReport& link);

/// Whether the table of times shows intervals from the scatter of one seed's steps.
bool has_intervals_of_steps(const LinkReport& link);

/// Whether the table of times shows the range over several runs of the same cells.
bool has_several_runs(const LinkReport& link);

/// Time to accuracy: per target the median over seeds, interval or range, how many seeds reached
/// the target, and speed-ups.
Table time_to_accuracy_table(const LinkReport& link);

/// The parts of times to accuracy: time per iteration × iterations, and the time beyond that
/// product.
Table decomposition_table(const LinkReport& link);

/// The table for runs without a curve: time per iteration, and its speed-up over the baselines.
Table step_table(const LinkReport& link);

/// All of users' own programs without a curve: time, its speed-up over the first row, the bytes
/// sent and the time that they need at the link's rate, and the verdicts.
Table program_table(const LinkReport& link, const Footnotes& footnotes);

/// The cost of an iteration, the bytes sent, the last and best accuracy, the quality of gradients,
/// and the verdicts.
Table cost_table(const LinkReport& link, const Footnotes& footnotes);

/// The table for runs without times: iterations to each target, accuracies, how near the aggregated
/// gradient came to the exact mean, and the bytes that the method declares.
Table learning_table(const LinkReport& link, const Footnotes& footnotes);

/// Whether the section has times to accuracy, which a summary shows.
bool has_summary(const ReportSection& section);

/// The table of a link for a first look. Each method has a row with TTAs, speed-ups, the cost of a
/// step and the final accuracy. Columns are left out, the least important first, until the table is
/// at most `columns` wide or only the indispensable ones are left. The section must have a summary.
Table summary_table(const ReportSection& section, const LinkReport& link, std::size_t columns);

/// The lines of Python that train with a method by PyTorch's DistributedDataParallel, with the
/// hooks of python/pacbench/hooks. Nothing where the hooks lack the method, or an option that
/// changes its gradients, and where they refuse an option's value. Options that change only how
/// bytes travel are left out. `method` is an entry of a run's scenario in
/// canonical form, which has a value for every option.
std::optional<std::string> python_lines(const Json& method);

/// The Python lines for the fastest row of each headline, with a sentence before them; empty
/// without headlines or lines.
std::string python_lines_of_fastest(const Report& report);

}  // namespace pacbench::report
