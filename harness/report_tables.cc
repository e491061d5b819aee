#include "harness/report_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace pacbench {
namespace {

constexpr const char* kNone = "—";

std::string number(const std::optional<Spread>& value, double scale = 1) {
  return value ? significant(value->median * scale) : kNone;
}

std::string percent(const std::optional<Spread>& value) {
  return value ? fmt::format("{:.2f}", 100 * value->median) : kNone;
}

/// The median of a time that need not have been reached.
std::string reached(const CensoredSpread& time) {
  if (time.total == 0) return kNone;
  return time.median ? significant(*time.median) : "DNF";
}

/// Iterations are whole, but for the middle of an even number of seeds.
std::string iterations(const CensoredSpread& count) {
  if (count.total == 0) return kNone;
  return count.median ? fmt::format("{:g}", *count.median) : "DNF";
}

std::string range(const CensoredSpread& time) {
  if (!time.minimum) return kNone;
  return fmt::format("{}–{}", significant(*time.minimum),
                     time.maximum ? significant(*time.maximum) : "DNF");
}

std::string times(const std::optional<double>& speed_up) {
  return speed_up ? fmt::format("{:.2f}", *speed_up) : kNone;
}

bool several_seeds(const LinkReport& link) {
  return std::any_of(link.rows.begin(), link.rows.end(),
                     [](const ReportRow& row) { return row.seeds.size() > 1; });
}

std::string accuracy_heading(double accuracy) { return fmt::format("{} %", 100 * accuracy); }

/// The columns of target `index`; a range of one seed would only repeat it.
void add_target(const LinkReport& link, std::size_t index, bool with_speed_ups, Table& table) {
  const auto group = "to " + accuracy_heading(link.rows.front().targets[index].accuracy);
  const bool with_range = several_seeds(link);
  table.columns.push_back({group, "TTA s"});
  if (with_range) table.columns.push_back({group, "range"});
  table.columns.push_back({group, "k/n"});
  if (with_speed_ups) {
    table.columns.push_back({group, "×AR"});
    table.columns.push_back({group, "×FP16"});
  }
  for (std::size_t i = 0; i < link.rows.size(); ++i) {
    const auto& target = link.rows[i].targets[index];
    auto& cells = table.rows[i];
    cells.push_back(reached(target.tta_s));
    if (with_range) cells.push_back(range(target.tta_s));
    cells.push_back(fmt::format("{}/{}", target.tta_s.reached, target.tta_s.total));
    if (with_speed_ups) {
      cells.push_back(times(target.speed_up_all_reduce));
      cells.push_back(times(target.speed_up_fp16));
    }
  }
}

Table with_labels(const LinkReport& link) {
  Table table;
  table.columns.push_back({"", "method", true});
  for (const auto& row : link.rows) {
    table.rows.push_back({row.suspect ? row.label + " (suspect)" : row.label});
  }
  return table;
}

Table time_table(const LinkReport& link, bool every_speed_up) {
  auto table = with_labels(link);
  const auto targets = link.rows.front().targets.size();
  for (std::size_t i = 0; i < targets; ++i) {
    add_target(link, i, every_speed_up || i + 1 == targets, table);
  }
  return table;
}

std::string bytes_off(const ReportRow& row) {
  if (!row.measured_bytes_per_iteration || !row.expected_bytes_per_iteration) return kNone;
  const double expected = row.expected_bytes_per_iteration->median;
  if (expected <= 0) return kNone;
  const double off = row.measured_bytes_per_iteration->median / expected - 1;
  return fmt::format("{:+.1f}", 100 * off);
}

/// What was run decides which word stands for the last accuracy.
std::string final_heading(const LinkReport& link) {
  const bool stopped = std::any_of(link.rows.begin(), link.rows.end(),
                                   [](const ReportRow& row) { return row.stopped_at_target; });
  return stopped ? "at stop" : "final";
}

std::string host_word(const ReportRow& row) {
  if (row.done == 0) return kNone;
  return row.cpu_bound ? "cpu-bound" : "ok";
}

std::string link_word(const ReportRow& row) {
  if (row.suspect) return "suspect";
  return row.done == 0 ? kNone : "ok";
}

void add_cost_columns(const LinkReport& link, Table& table) {
  for (const char* head : {"time", "compute", "exposed"}) {
    table.columns.push_back({"ms per iteration", head});
  }
  table.columns.push_back({"", "samples/s"});
  for (const auto& target : link.rows.front().targets) {
    table.columns.push_back({"iterations to", accuracy_heading(target.accuracy)});
  }
  for (const char* head : {"measured", "expected", "diff %"}) {
    table.columns.push_back({"MB sent per iteration", head});
  }
  table.columns.push_back({"accuracy %", final_heading(link)});
  table.columns.push_back({"accuracy %", "best"});
  table.columns.push_back({"verdict", "link", true});
  table.columns.push_back({"verdict", "host", true});
  table.columns.push_back({"verdict", "notes", true});
}

}  // namespace

Footnotes::Footnotes(const LinkReport& link) {
  for (const auto& row : link.rows) {
    std::vector<std::size_t> numbers;
    for (const auto& note : row.notes) {
      texts_.push_back(fmt::format("{}: {}", row.label, note));
      numbers.push_back(texts_.size());
    }
    references_[row.label] = fmt::format("{}", fmt::join(numbers, ", "));
  }
}

std::string Footnotes::references(const ReportRow& row) const {
  const auto found = references_.find(row.label);
  return found == references_.end() ? "" : found->second;
}

Table time_to_accuracy_table(const LinkReport& link) {
  auto table = time_table(link, true);
  return width(table) <= kReportWidth ? table : time_table(link, false);
}

Table cost_table(const LinkReport& link, const Footnotes& footnotes) {
  auto table = with_labels(link);
  add_cost_columns(link, table);
  for (std::size_t i = 0; i < link.rows.size(); ++i) {
    const auto& row = link.rows[i];
    auto& cells = table.rows[i];
    for (const auto& time : {row.time_per_iteration_s, row.compute_s, row.exposed_s}) {
      cells.push_back(number(time, 1e3));
    }
    cells.push_back(number(row.samples_per_s));
    for (const auto& target : row.targets) cells.push_back(iterations(target.iterations));
    cells.push_back(number(row.measured_bytes_per_iteration, 1e-6));
    cells.push_back(number(row.expected_bytes_per_iteration, 1e-6));
    cells.push_back(bytes_off(row));
    cells.push_back(percent(row.final_accuracy));
    cells.push_back(percent(row.best_accuracy));
    cells.push_back(link_word(row));
    cells.push_back(host_word(row));
    cells.push_back(footnotes.references(row));
  }
  return table;
}

std::vector<std::string> header_lines(const Report& report) {
  const auto& workload = report.scenario.at("workload");
  auto model = workload.at("model").at("name").get<std::string>();
  for (const auto& [key, value] : workload.at("model").items()) {
    if (key != "name") model += fmt::format(" {} {}", key, value.dump());
  }
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} on {} · {} workers × batch {} · {} iterations · seed{} {}", model,
                              workload.at("dataset").at("name").get<std::string>(),
                              report.scenario.at("workers").get<int>(),
                              workload.at("batch_per_worker").get<int>(),
                              workload.at("max_iterations").get<std::int64_t>(),
                              report.seeds.size() == 1 ? "" : "s", fmt::join(report.seeds, ", ")));
  lines.push_back(
      fmt::format("{} topology · {} · MTU {} · rates count {} · comparison hash {}",
                  report.scenario.at("network").at("topology").get<std::string>(),
                  report.scenario.at("network").at("congestion_control").get<std::string>(),
                  report.scenario.at("network").at("mtu").get<int>(),
                  report.scenario.at("network").at("rate_accounting").get<std::string>(),
                  report.comparison_hash.substr(0, 12)));
  return lines;
}

}  // namespace pacbench
