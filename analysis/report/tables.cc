#include "analysis/report/section_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/report/words.h"
#include "contract/catalogue/method_entry.h"

namespace pacbench::report {
namespace {

constexpr const char* kOfSteps = "95 % of steps";
constexpr const char* kOfRuns = "range of runs";

using Member = std::optional<statistics::Spread> ReportRow::*;

bool several_seeds(const LinkReport& link) {
  return std::ranges::any_of(link.rows, [](const ReportRow& row) { return row.seeds.size() > 1; });
}

bool any_has(const LinkReport& link, Member member) {
  return std::ranges::any_of(link.rows,
                             [&](const ReportRow& row) { return (row.*member).has_value(); });
}

/// Makes a table with a line for each row of a link.
class LinkTable {
 public:
  explicit LinkTable(const LinkReport& rows_of) : link{rows_of} {
    add({"", "method", true},
        [](const ReportRow& row) { return row.suspect ? row.label + " (suspect)" : row.label; });
    if (is_of_several_runs(link)) add({"", "run", true}, &ReportRow::run);
  }

  /// Adds a column with the text that `text` makes from each row.
  template <typename Text>
  void add(const Column& column, const Text& text) {
    table_.columns.push_back(column);
    table_.rows.resize(link.rows.size());
    for (std::size_t i = 0; i < link.rows.size(); ++i) {
      table_.rows[i].push_back(std::invoke(text, link.rows[i]));
    }
  }

  void add_number(const char* group, const std::string& head, Member member, double scale = 1) {
    add({group, head}, [&](const ReportRow& row) { return number(row.*member, scale); });
  }

  Table take() { return std::move(table_); }

  const LinkReport& link;

 private:
  Table table_;
};

/// Adds a speed-up, with its interval or range where TTAs have them.
void add_speed_up(std::size_t index, const Column& column,
                  std::optional<SpeedUp> TargetSummary::*member, LinkTable& table) {
  const auto add = [&](const std::string& more, const auto& text) {
    table.add({column.group, column.head + more},
              [&](const ReportRow& row) { return text(row.targets[index].*member); });
  };
  add("", times);
  const bool any = std::ranges::any_of(table.link.rows, [&](const ReportRow& row) {
    const auto& speed_up = row.targets[index].*member;
    return speed_up && speed_up->interval;
  });
  if (any) {
    add(" 95 %", times_interval);
  } else if (has_ranges(table.link)) {
    add(" range", times_range);
  }
}

/// Adds the columns of target `index`. There is no range of one seed, which would only repeat its
/// value.
void add_target(std::size_t index, LinkTable& table) {
  const auto& link = table.link;
  const auto group = "to " + words_of(link.rows.front().targets[index].target);
  const auto add = [&](const char* head, const auto& text) {
    table.add({group, head}, [&](const ReportRow& row) { return text(row.targets[index]); });
  };
  add("TTA s", [](const TargetSummary& target) { return reached(target.tta_s); });
  if (has_intervals(link)) {
    add("95 %", [](const TargetSummary& target) { return interval(target.tta_interval_s); });
  } else if (has_ranges(link)) {
    add("range", tta_range);
  } else if (has_intervals_of_steps(link)) {
    add(kOfSteps, [](const TargetSummary& target) { return ends(target.tta_of_steps_s); });
  }
  if (has_several_runs(link)) {
    add(kOfRuns, [](const TargetSummary& target) { return ends(target.tta_of_runs_s); });
  }
  add("k/n", [](const TargetSummary& target) { return k_of_n(target.tta_s); });
  if (is_of_programs(link)) return;
  add_speed_up(index, {group, "×AR"}, &TargetSummary::speed_up_all_reduce, table);
  add_speed_up(index, {group, "×FP16"}, &TargetSummary::speed_up_fp16, table);
}

/// Adds the quality of aggregated gradients: how near they are to the exact mean, their density,
/// and the norm of the residual. Each is left out where no row has it.
void add_quality(LinkTable& table) {
  constexpr const char* kGroup = "gradient";
  if (any_has(table.link, &ReportRow::vnmse)) {
    table.add({kGroup, "vNMSE"}, [](const ReportRow& row) { return error(row.vnmse); });
    table.add({kGroup, "cosine"}, [](const ReportRow& row) { return cosine(row.cosine); });
  }
  if (any_has(table.link, &ReportRow::density)) {
    table.add({kGroup, "density %"}, [](const ReportRow& row) { return percent(row.density); });
  }
  if (any_has(table.link, &ReportRow::residual_norm)) {
    table.add_number(kGroup, "residual", &ReportRow::residual_norm);
  }
}

bool is_whole(const ReportRow& row) {
  return row.method == kProgramMethod && row.iterations_run && row.iterations_run->maximum == 1;
}

void add_verdicts(const Footnotes& footnotes, LinkTable& table) {
  table.add({"verdict", "link", true}, link_word);
  table.add({"verdict", "host", true}, host_word);
  const bool is_watched = std::ranges::any_of(
      table.link.rows, [](const ReportRow& row) { return !row.machine.empty(); });
  if (is_watched) table.add({"verdict", "machine", true}, machine_word);
  table.add({"verdict", "notes", true},
            [&](const ReportRow& row) { return footnotes.references(row); });
}

/// Adds the costs that are known of a program of the user's own.
void add_program_costs(const char* group, LinkTable& table) {
  table.add_number(group, "MB sent", &ReportRow::measured_bytes_per_iteration, 1e-6);
  if (any_has(table.link, &ReportRow::least_wire_s)) {
    table.add_number(group, "wire s", &ReportRow::least_wire_s);
  }
}

void add_costs(LinkTable& table) {
  constexpr const char* kTimes = "ms per iteration";
  table.add_number(kTimes, "time", &ReportRow::time_per_iteration_s, 1e3);
  table.add_number(kTimes, "compute", &ReportRow::compute_s, 1e3);
  table.add_number(kTimes, "encode", &ReportRow::encode_s, 1e3);
  table.add_number(kTimes, "exposed", &ReportRow::exposed_s, 1e3);
  table.add_number("% of it", "compute", &ReportRow::compute_share, 100);
  table.add_number("% of it", "encode", &ReportRow::encode_share, 100);
  table.add_number("% of it", "exposed", &ReportRow::exposed_share, 100);
  table.add_number("", "samples/s", &ReportRow::samples_per_s);
  constexpr const char* kBytes = "MB sent per iteration";
  table.add_number(kBytes, "measured", &ReportRow::measured_bytes_per_iteration, 1e-6);
  table.add_number(kBytes, "expected", &ReportRow::expected_bytes_per_iteration, 1e-6);
  table.add({kBytes, "diff %"}, bytes_off);
  if (!any_has(table.link, &ReportRow::trunk_bytes_per_iteration)) return;
  table.add_number("MB per iteration", "a trunk", &ReportRow::trunk_bytes_per_iteration, 1e-6);
}

bool has_target_of_loss(const LinkReport& link) {
  return std::ranges::any_of(link.rows.front().targets, [](const TargetSummary& summary) {
    return summary.target.metric == kLoss;
  });
}

/// Adds columns of the accuracy at the end of training, and of the loss where some target is one.
/// Programs of the user's own may report losses alone.
void add_ends(LinkTable& table) {
  const auto last = final_heading(table.link);
  const bool tells_losses_alone = has_losses_alone(table.link);
  if (!tells_losses_alone) {
    constexpr const char* kGroup = "accuracy %";
    table.add({kGroup, last}, [](const ReportRow& row) { return percent(row.final_accuracy); });
    table.add({kGroup, "best"}, [](const ReportRow& row) { return percent(row.best_accuracy); });
  }
  if (tells_losses_alone || has_target_of_loss(table.link)) {
    table.add_number("loss", last, &ReportRow::final_loss);
    table.add_number("loss", "best", &ReportRow::best_loss);
  }
}

/// Adds the iterations to a target, over the seeds.
void add_crossing(std::size_t index, LinkTable& table) {
  const auto group = "iterations to " + words_of(table.link.rows.front().targets[index].target);
  const auto add = [&](const char* head, const auto& text) {
    table.add({group, head},
              [&](const ReportRow& row) { return text(row.targets[index].iterations); });
  };
  add("median", iterations);
  if (several_seeds(table.link)) add("range", iteration_range);
  add("k/n", k_of_n);
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

void add_steps(const char* group, LinkTable& table) {
  table.add_number(group, "s", &ReportRow::time_per_iteration_s);
  if (has_intervals_of_steps(table.link)) {
    table.add({group, kOfSteps}, [](const ReportRow& row) { return ends(row.time_of_steps_s); });
  }
  if (has_several_runs(table.link)) {
    table.add({group, kOfRuns}, [](const ReportRow& row) { return ends(row.time_of_runs_s); });
  }
}

}  // namespace

std::string final_heading(const LinkReport& link) {
  return std::ranges::any_of(link.rows, &ReportRow::stopped_at_target) ? "at stop" : "final";
}

bool is_of_programs(const LinkReport& link) {
  return std::ranges::all_of(link.rows,
                             [](const ReportRow& row) { return row.method == kProgramMethod; });
}

bool any_is_whole(const LinkReport& link) { return std::ranges::any_of(link.rows, is_whole); }

bool has_losses_alone(const LinkReport& link) {
  return !any_has(link, &ReportRow::final_accuracy) && any_has(link, &ReportRow::final_loss);
}

bool has_intervals(const LinkReport& link) {
  const auto has_interval_if_any = [](const TargetSummary& target) {
    return target.tta_interval_s || target.tta_s.total == 0;
  };
  return several_seeds(link) && std::ranges::all_of(link.rows, [&](const ReportRow& row) {
           return std::ranges::all_of(row.targets, has_interval_if_any);
         });
}

bool has_ranges(const LinkReport& link) { return several_seeds(link) && !has_intervals(link); }

bool has_intervals_of_steps(const LinkReport& link) {
  if (several_seeds(link)) return false;
  const auto has_steps = [](const TargetSummary& target) {
    return target.tta_of_steps_s.has_value();
  };
  return std::ranges::any_of(link.rows, [&](const ReportRow& row) {
    const bool has_curve = row.final_accuracy || row.final_loss;
    return has_curve ? std::ranges::any_of(row.targets, has_steps)
                     : row.time_of_steps_s.has_value();
  });
}

bool has_several_runs(const LinkReport& link) {
  return std::ranges::any_of(link.rows, [](const ReportRow& row) { return row.runs > 1; });
}

bool is_of_several_runs(const LinkReport& link) {
  return std::ranges::any_of(
      link.rows, [&](const ReportRow& row) { return row.run != link.rows.front().run; });
}

bool any_is_tuned(const LinkReport& link) {
  return std::ranges::any_of(link.rows, [](const ReportRow& row) { return row.tried > 1; });
}

Table time_to_accuracy_table(const LinkReport& link) {
  LinkTable table{link};
  for (std::size_t i = 0; i < link.rows.front().targets.size(); ++i) add_target(i, table);
  return table.take();
}

Table decomposition_table(const LinkReport& link) {
  LinkTable table{link};
  for (std::size_t i = 0; i < link.rows.front().targets.size(); ++i) {
    const auto group = "to " + words_of(link.rows.front().targets[i].target);
    table.add({group, "s × iterations"},
              [i](const ReportRow& row) { return product(row, row.targets[i]); });
    table.add({group, "rest s"},
              [i](const ReportRow& row) { return reached(row.targets[i].beyond_s); });
  }
  return table.take();
}

Table step_table(const LinkReport& link) {
  constexpr const char* kGroup = "iteration";
  LinkTable table{link};
  table.add({"TTA", "s"}, [](const ReportRow&) { return "no curve"; });
  table.add({kGroup, "number"}, iterations_of);
  add_steps(kGroup, table);
  for (const auto& [head, baseline] : {std::pair{"×AR", "all-reduce"}, {"×FP16", "fp16"}}) {
    const auto* base = first_of(link.rows, baseline);
    table.add({kGroup, head}, [&](const ReportRow& row) { return step_speed_up(base, row); });
  }
  return table.take();
}

Table cost_table(const LinkReport& link, const Footnotes& footnotes) {
  LinkTable table{link};
  if (is_of_programs(link)) {
    constexpr const char* kGroup = "per iteration";
    table.add_number(kGroup, "ms", &ReportRow::time_per_iteration_s, 1e3);
    add_program_costs(kGroup, table);
  } else {
    add_costs(table);
  }
  if (any_has(link, &ReportRow::final_accuracy) || has_losses_alone(link)) add_ends(table);
  add_quality(table);
  add_verdicts(footnotes, table);
  return table.take();
}

Table program_table(const LinkReport& link, const Footnotes& footnotes) {
  const bool all_are_whole =
      any_is_whole(link) && std::ranges::all_of(link.rows, [](const ReportRow& row) {
        return row.done == 0 || is_whole(row);
      });
  const char* group = all_are_whole ? "whole program" : "iteration";
  LinkTable table{link};
  if (!all_are_whole) table.add({group, "number"}, iterations_of);
  add_steps(group, table);
  table.add({group, "×first"},
            [&](const ReportRow& row) { return step_speed_up(&link.rows.front(), row); });
  add_program_costs(group, table);
  if (any_has(link, &ReportRow::final_accuracy) || has_losses_alone(link)) add_ends(table);
  add_verdicts(footnotes, table);
  return table.take();
}

Table learning_table(const LinkReport& link, const Footnotes& footnotes) {
  constexpr const char* kDeclared = "MB per iteration, declared";
  LinkTable table{link};
  if (any_is_tuned(link)) {
    table.add({"", "tried"}, [](const ReportRow& row) { return std::to_string(row.tried); });
  }
  for (std::size_t i = 0; i < link.rows.front().targets.size(); ++i) add_crossing(i, table);
  add_ends(table);
  add_quality(table);
  table.add_number(kDeclared, "payload", &ReportRow::payload_bytes_per_iteration, 1e-6);
  table.add_number(kDeclared, "sent", &ReportRow::expected_bytes_per_iteration, 1e-6);
  if (!footnotes.texts().empty()) {
    table.add({"", "notes", true}, [&](const ReportRow& row) { return footnotes.references(row); });
  }
  return table.take();
}

}  // namespace pacbench::report
