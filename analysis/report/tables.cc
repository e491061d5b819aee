#include "analysis/report/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/report/section_contents.h"
#include "analysis/report/words.h"
#include "contract/catalogue/program_method.h"

namespace pacbench::report {
namespace {

bool several_seeds(const LinkReport& link) {
  return std::any_of(link.rows.begin(), link.rows.end(),
                     [](const ReportRow& row) { return row.seeds.size() > 1; });
}

bool has_interval_if_any(const TargetSummary& target) {
  return target.tta_interval_s || target.tta_s.total == 0;
}

Table with_labels(const LinkReport& link) {
  Table table;
  table.columns.push_back({"", "method", true});
  for (const auto& row : link.rows) {
    table.rows.push_back({row.suspect ? row.label + " (suspect)" : row.label});
  }
  if (!is_of_several_runs(link)) return table;
  table.columns.push_back({"", "run", true});
  for (std::size_t i = 0; i < link.rows.size(); ++i) table.rows[i].push_back(link.rows[i].run);
  return table;
}

constexpr const char* kOfSteps = "95 % of steps";
constexpr const char* kOfRuns = "range of runs";

using Member = std::optional<statistics::Spread> ReportRow::*;

bool any_has(const LinkReport& link, Member member) {
  return std::any_of(link.rows.begin(), link.rows.end(),
                     [&](const ReportRow& row) { return (row.*member).has_value(); });
}

/// Adds a column with the text that `text` makes from each row.
template <typename Text>
void add_column(const LinkReport& link, Table& table, const Column& column, const Text& text) {
  table.columns.push_back(column);
  for (std::size_t i = 0; i < link.rows.size(); ++i) table.rows[i].push_back(text(link.rows[i]));
}

/// Adds a speed-up, with its interval or range where TTAs have them.
void add_speed_up(const LinkReport& link, std::size_t index, const Column& column,
                  std::optional<SpeedUp> TargetSummary::*member, Table& table) {
  const auto add = [&](const std::string& more, const auto& text) {
    add_column(link, table, {column.group, column.head + more},
               [&](const ReportRow& row) { return text(row.targets[index].*member); });
  };
  add("", times);
  const bool any = std::any_of(link.rows.begin(), link.rows.end(), [&](const ReportRow& row) {
    const auto& speed_up = row.targets[index].*member;
    return speed_up && speed_up->interval;
  });
  if (any) {
    add(" 95 %", times_interval);
  } else if (has_ranges(link)) {
    add(" range", times_range);
  }
}

/// Adds the columns of target `index`. There is no range of one seed, which would only repeat its
/// value.
void add_target(const LinkReport& link, std::size_t index, Table& table) {
  const auto group = "to " + words_of(link.rows.front().targets[index].target);
  const auto of = [index](const ReportRow& row) -> const TargetSummary& {
    return row.targets[index];
  };
  add_column(link, table, {group, "TTA s"},
             [&](const ReportRow& row) { return reached(of(row).tta_s); });
  if (has_intervals(link)) {
    add_column(link, table, {group, "95 %"},
               [&](const ReportRow& row) { return interval(of(row).tta_interval_s); });
  } else if (has_ranges(link)) {
    add_column(link, table, {group, "range"},
               [&](const ReportRow& row) { return tta_range(of(row)); });
  } else if (has_intervals_of_steps(link)) {
    add_column(link, table, {group, kOfSteps},
               [&](const ReportRow& row) { return ends(of(row).tta_of_steps_s); });
  }
  if (has_several_runs(link)) {
    add_column(link, table, {group, kOfRuns},
               [&](const ReportRow& row) { return ends(of(row).tta_of_runs_s); });
  }
  add_column(link, table, {group, "k/n"},
             [&](const ReportRow& row) { return k_of_n(of(row).tta_s); });
  if (is_of_programs(link)) return;
  add_speed_up(link, index, {group, "×AR"}, &TargetSummary::speed_up_all_reduce, table);
  add_speed_up(link, index, {group, "×FP16"}, &TargetSummary::speed_up_fp16, table);
}

/// Adds the quality of aggregated gradients: how near they are to the exact mean, their density,
/// and the norm of the residual. Each is left out where no row has it.
void add_quality(const LinkReport& link, Table& table) {
  constexpr const char* kGroup = "gradient";
  if (any_has(link, &ReportRow::vnmse)) {
    add_column(link, table, {kGroup, "vNMSE"},
               [](const ReportRow& row) { return error(row.vnmse); });
    add_column(link, table, {kGroup, "cosine"},
               [](const ReportRow& row) { return cosine(row.cosine); });
  }
  if (any_has(link, &ReportRow::density)) {
    add_column(link, table, {kGroup, "density %"},
               [](const ReportRow& row) { return percent(row.density); });
  }
  if (any_has(link, &ReportRow::residual_norm)) {
    add_column(link, table, {kGroup, "residual"},
               [](const ReportRow& row) { return number(row.residual_norm); });
  }
}

using Columns = std::pair<const char*, Member>;

void add_times(const LinkReport& link, Table& table) {
  for (const auto& [head, member] :
       {Columns{"time", &ReportRow::time_per_iteration_s},
        Columns{"compute", &ReportRow::compute_s}, Columns{"encode", &ReportRow::encode_s},
        Columns{"exposed", &ReportRow::exposed_s}}) {
    add_column(link, table, {"ms per iteration", head},
               [member = member](const ReportRow& row) { return number(row.*member, 1e3); });
  }
  for (const auto& [head, member] :
       {Columns{"compute", &ReportRow::compute_share}, Columns{"encode", &ReportRow::encode_share},
        Columns{"exposed", &ReportRow::exposed_share}}) {
    add_column(link, table, {"% of it", head},
               [member = member](const ReportRow& row) { return number(row.*member, 100); });
  }
  add_column(link, table, {"", "samples/s"},
             [](const ReportRow& row) { return number(row.samples_per_s); });
}

bool is_whole(const ReportRow& row) {
  return row.method == kProgramMethod && row.iterations_run && row.iterations_run->maximum == 1;
}

void add_verdicts(const LinkReport& link, const Footnotes& footnotes, Table& table) {
  add_column(link, table, {"verdict", "link", true}, link_word);
  add_column(link, table, {"verdict", "host", true}, host_word);
  const bool is_watched = std::any_of(link.rows.begin(), link.rows.end(),
                                      [](const ReportRow& row) { return !row.machine.empty(); });
  if (is_watched) add_column(link, table, {"verdict", "machine", true}, machine_word);
  add_column(link, table, {"verdict", "notes", true},
             [&](const ReportRow& row) { return footnotes.references(row); });
}

/// Adds the costs that are known of a program of the user's own.
void add_program_costs(const LinkReport& link, const char* group, Table& table) {
  add_column(link, table, {group, "MB sent"},
             [](const ReportRow& row) { return number(row.measured_bytes_per_iteration, 1e-6); });
  if (any_has(link, &ReportRow::least_wire_s)) {
    add_column(link, table, {group, "wire s"},
               [](const ReportRow& row) { return number(row.least_wire_s); });
  }
}

void add_traffic(const LinkReport& link, Table& table) {
  constexpr const char* kGroup = "MB sent per iteration";
  add_column(link, table, {kGroup, "measured"},
             [](const ReportRow& row) { return number(row.measured_bytes_per_iteration, 1e-6); });
  add_column(link, table, {kGroup, "expected"},
             [](const ReportRow& row) { return number(row.expected_bytes_per_iteration, 1e-6); });
  add_column(link, table, {kGroup, "diff %"}, bytes_off);
  if (!any_has(link, &ReportRow::trunk_bytes_per_iteration)) return;
  add_column(link, table, {"MB per iteration", "a trunk"},
             [](const ReportRow& row) { return number(row.trunk_bytes_per_iteration, 1e-6); });
}

void add_accuracies(const LinkReport& link, Table& table) {
  constexpr const char* kGroup = "accuracy %";
  add_column(link, table, {kGroup, final_heading(link)},
             [](const ReportRow& row) { return percent(row.final_accuracy); });
  add_column(link, table, {kGroup, "best"},
             [](const ReportRow& row) { return percent(row.best_accuracy); });
}

bool has_target_of_loss(const LinkReport& link) {
  const auto& targets = link.rows.front().targets;
  return std::any_of(targets.begin(), targets.end(),
                     [](const TargetSummary& summary) { return summary.target.metric == kLoss; });
}

void add_losses(const LinkReport& link, Table& table) {
  constexpr const char* kGroup = "loss";
  add_column(link, table, {kGroup, final_heading(link)},
             [](const ReportRow& row) { return number(row.final_loss); });
  add_column(link, table, {kGroup, "best"},
             [](const ReportRow& row) { return number(row.best_loss); });
}

/// Adds how many settings were tried for each method, where any method is tuned.
void add_tried(const LinkReport& link, Table& table) {
  if (!any_is_tuned(link)) return;
  add_column(link, table, {"", "tried"},
             [](const ReportRow& row) { return std::to_string(row.tried); });
}

/// Adds columns of the accuracy at the end of training, and of the loss where some target is one.
/// Programs of the user's own may report losses alone.
void add_ends(const LinkReport& link, Table& table) {
  const bool tells_losses_alone = has_losses_alone(link);
  if (!tells_losses_alone) add_accuracies(link, table);
  if (tells_losses_alone || has_target_of_loss(link)) add_losses(link, table);
}

/// Adds the iterations to a target, over the seeds.
void add_crossing(const LinkReport& link, std::size_t index, Table& table) {
  const auto group = "iterations to " + words_of(link.rows.front().targets[index].target);
  const auto of = [index](const ReportRow& row) { return row.targets[index].iterations; };
  add_column(link, table, {group, "median"},
             [&](const ReportRow& row) { return iterations(of(row)); });
  if (several_seeds(link)) {
    add_column(link, table, {group, "range"},
               [&](const ReportRow& row) { return iteration_range(of(row)); });
  }
  add_column(link, table, {group, "k/n"}, [&](const ReportRow& row) { return k_of_n(of(row)); });
}

/// The speed-up of an iteration of `row` over one of `base`, in words; "—" when `base` is null or
/// cannot be compared.
std::string step_speed_up(const ReportRow* base, const ReportRow& row) {
  if (base == nullptr || !comparable(*base, row)) return times(std::nullopt);
  SpeedUp speed_up;
  speed_up.value = base->time_per_iteration_s->median / row.time_per_iteration_s->median;
  return times(speed_up);
}

std::string iterations_of(const ReportRow& row) {
  if (is_whole(row)) return "whole program";
  return row.iterations_run ? fmt::format("{:g}", row.iterations_run->median) : number({});
}

void add_steps(const LinkReport& link, const char* group, Table& table) {
  add_column(link, table, {group, "s"},
             [](const ReportRow& row) { return number(row.time_per_iteration_s); });
  if (has_intervals_of_steps(link)) {
    add_column(link, table, {group, kOfSteps},
               [](const ReportRow& row) { return ends(row.time_of_steps_s); });
  }
  if (has_several_runs(link)) {
    add_column(link, table, {group, kOfRuns},
               [](const ReportRow& row) { return ends(row.time_of_runs_s); });
  }
}

}  // namespace

std::string final_heading(const LinkReport& link) {
  const bool stopped = std::any_of(link.rows.begin(), link.rows.end(),
                                   [](const ReportRow& row) { return row.stopped_at_target; });
  return stopped ? "at stop" : "final";
}

bool is_of_programs(const LinkReport& link) {
  return std::all_of(link.rows.begin(), link.rows.end(),
                     [](const ReportRow& row) { return row.method == kProgramMethod; });
}

bool any_is_whole(const LinkReport& link) {
  return std::any_of(link.rows.begin(), link.rows.end(), is_whole);
}

bool all_are_whole(const LinkReport& link) {
  return any_is_whole(link) &&
         std::all_of(link.rows.begin(), link.rows.end(),
                     [](const ReportRow& row) { return row.done == 0 || is_whole(row); });
}

bool has_losses_alone(const LinkReport& link) {
  return !any_has(link, &ReportRow::final_accuracy) && any_has(link, &ReportRow::final_loss);
}

bool has_intervals(const LinkReport& link) {
  return several_seeds(link) &&
         std::all_of(link.rows.begin(), link.rows.end(), [](const ReportRow& row) {
           return std::all_of(row.targets.begin(), row.targets.end(), has_interval_if_any);
         });
}

bool has_intervals_of_steps(const LinkReport& link) {
  if (several_seeds(link)) return false;
  return std::any_of(link.rows.begin(), link.rows.end(), [](const ReportRow& row) {
    const bool any_target =
        std::any_of(row.targets.begin(), row.targets.end(),
                    [](const TargetSummary& target) { return target.tta_of_steps_s.has_value(); });
    const bool has_curve = row.final_accuracy || row.final_loss;
    return has_curve ? any_target : row.time_of_steps_s.has_value();
  });
}

bool has_several_runs(const LinkReport& link) {
  return std::any_of(link.rows.begin(), link.rows.end(),
                     [](const ReportRow& row) { return row.runs > 1; });
}

bool is_of_several_runs(const LinkReport& link) {
  return std::any_of(link.rows.begin(), link.rows.end(),
                     [&](const ReportRow& row) { return row.run != link.rows.front().run; });
}

bool any_is_tuned(const LinkReport& link) {
  return std::any_of(link.rows.begin(), link.rows.end(),
                     [](const ReportRow& row) { return row.tried > 1; });
}

bool has_ranges(const LinkReport& link) { return several_seeds(link) && !has_intervals(link); }

Table time_to_accuracy_table(const LinkReport& link) {
  auto table = with_labels(link);
  for (std::size_t i = 0; i < link.rows.front().targets.size(); ++i) add_target(link, i, table);
  return table;
}

Table decomposition_table(const LinkReport& link) {
  auto table = with_labels(link);
  for (std::size_t i = 0; i < link.rows.front().targets.size(); ++i) {
    const auto group = "to " + words_of(link.rows.front().targets[i].target);
    add_column(link, table, {group, "s × iterations"},
               [i](const ReportRow& row) { return product(row, row.targets[i]); });
    add_column(link, table, {group, "rest s"},
               [i](const ReportRow& row) { return reached(row.targets[i].beyond_s); });
  }
  return table;
}

Table step_table(const LinkReport& link) {
  constexpr const char* kGroup = "iteration";
  auto table = with_labels(link);
  add_column(link, table, {"TTA", "s"}, [](const ReportRow&) { return "no curve"; });
  add_column(link, table, {kGroup, "number"}, iterations_of);
  add_steps(link, kGroup, table);
  for (const auto& [head, baseline] : {std::pair{"×AR", "all-reduce"}, {"×FP16", "fp16"}}) {
    add_column(link, table, {kGroup, head}, [&link, baseline = baseline](const ReportRow& row) {
      return step_speed_up(first_of(link.rows, baseline), row);
    });
  }
  return table;
}

Table cost_table(const LinkReport& link, const Footnotes& footnotes) {
  auto table = with_labels(link);
  if (is_of_programs(link)) {
    constexpr const char* kGroup = "per iteration";
    add_column(link, table, {kGroup, "ms"},
               [](const ReportRow& row) { return number(row.time_per_iteration_s, 1e3); });
    add_program_costs(link, kGroup, table);
  } else {
    add_times(link, table);
    add_traffic(link, table);
  }
  if (any_has(link, &ReportRow::final_accuracy) || has_losses_alone(link)) add_ends(link, table);
  add_quality(link, table);
  add_verdicts(link, footnotes, table);
  return table;
}

Table program_table(const LinkReport& link, const Footnotes& footnotes) {
  const bool whole = all_are_whole(link);
  const char* group = whole ? "whole program" : "iteration";
  auto table = with_labels(link);
  if (!whole) add_column(link, table, {group, "number"}, iterations_of);
  add_steps(link, group, table);
  add_column(link, table, {group, "×first"},
             [&link](const ReportRow& row) { return step_speed_up(&link.rows.front(), row); });
  add_program_costs(link, group, table);
  if (any_has(link, &ReportRow::final_accuracy) || has_losses_alone(link)) add_ends(link, table);
  add_verdicts(link, footnotes, table);
  return table;
}

Table learning_table(const LinkReport& link, const Footnotes& footnotes) {
  constexpr const char* kDeclared = "MB per iteration, declared";
  auto table = with_labels(link);
  add_tried(link, table);
  for (std::size_t i = 0; i < link.rows.front().targets.size(); ++i) add_crossing(link, i, table);
  add_ends(link, table);
  add_quality(link, table);
  add_column(link, table, {kDeclared, "payload"},
             [](const ReportRow& row) { return number(row.payload_bytes_per_iteration, 1e-6); });
  add_column(link, table, {kDeclared, "sent"},
             [](const ReportRow& row) { return number(row.expected_bytes_per_iteration, 1e-6); });
  if (footnotes.texts().empty()) return table;
  add_column(link, table, {"", "notes", true},
             [&](const ReportRow& row) { return footnotes.references(row); });
  return table;
}

}  // namespace pacbench::report
