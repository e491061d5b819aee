#include "harness/report/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/report/titles.h"
#include "harness/report/words.h"

namespace pacbench {
namespace {

bool several_seeds(const LinkReport& link) {
  return std::any_of(link.rows.begin(), link.rows.end(),
                     [](const ReportRow& row) { return row.seeds.size() > 1; });
}

std::string accuracy_heading(double accuracy) { return fmt::format("{} %", 100 * accuracy); }

/// The columns of target `index`; a range of one seed would only repeat it.
void add_target(const LinkReport& link, std::size_t index, Table& table) {
  const auto group = "to " + accuracy_heading(link.rows.front().targets[index].accuracy);
  const bool with_range = several_seeds(link);
  table.columns.push_back({group, "TTA s"});
  if (with_range) table.columns.push_back({group, "range"});
  table.columns.push_back({group, "k/n"});
  table.columns.push_back({group, "×AR"});
  table.columns.push_back({group, "×FP16"});
  for (std::size_t i = 0; i < link.rows.size(); ++i) {
    const auto& target = link.rows[i].targets[index];
    auto& cells = table.rows[i];
    cells.push_back(reached(target.tta_s));
    if (with_range) cells.push_back(range(target.tta_s));
    cells.push_back(k_of_n(target.tta_s));
    cells.push_back(times(target.speed_up_all_reduce));
    cells.push_back(times(target.speed_up_fp16));
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

using Member = std::optional<Spread> ReportRow::*;

bool any_has(const LinkReport& link, Member member) {
  return std::any_of(link.rows.begin(), link.rows.end(),
                     [&](const ReportRow& row) { return (row.*member).has_value(); });
}

/// One column, its text made from each row.
template <typename Text>
void add_column(const LinkReport& link, Table& table, const Column& column, const Text& text) {
  table.columns.push_back(column);
  for (std::size_t i = 0; i < link.rows.size(); ++i) table.rows[i].push_back(text(link.rows[i]));
}

/// How near the aggregated gradients came, where some row has samples of it.
void add_quality(const LinkReport& link, Table& table) {
  constexpr const char* kGroup = "gradient";
  if (any_has(link, &ReportRow::vnmse)) {
    add_column(link, table, {kGroup, "vNMSE"},
               [](const ReportRow& row) { return error(row.vnmse); });
    add_column(link, table, {kGroup, "cosine"},
               [](const ReportRow& row) { return cosine(row.cosine); });
  }
  if (any_has(link, &ReportRow::residual_norm)) {
    add_column(link, table, {kGroup, "residual"},
               [](const ReportRow& row) { return number(row.residual_norm); });
  }
}

/// What was run decides which word stands for the last accuracy.
std::string final_heading(const LinkReport& link) {
  const bool stopped = std::any_of(link.rows.begin(), link.rows.end(),
                                   [](const ReportRow& row) { return row.stopped_at_target; });
  return stopped ? "at stop" : "final";
}

void add_times(const LinkReport& link, Table& table) {
  constexpr const char* kGroup = "ms per iteration";
  constexpr std::pair<const char*, Member> kTimes[] = {{"time", &ReportRow::time_per_iteration_s},
                                                       {"compute", &ReportRow::compute_s},
                                                       {"encode", &ReportRow::encode_s},
                                                       {"exposed", &ReportRow::exposed_s}};
  for (const auto& [head, member] : kTimes) {
    add_column(link, table, {kGroup, head},
               [member = member](const ReportRow& row) { return number(row.*member, 1e3); });
  }
  add_column(link, table, {"", "samples/s"},
             [](const ReportRow& row) { return number(row.samples_per_s); });
}

void add_iterations(const LinkReport& link, Table& table) {
  for (std::size_t i = 0; i < link.rows.front().targets.size(); ++i) {
    add_column(link, table,
               {"iterations to", accuracy_heading(link.rows.front().targets[i].accuracy)},
               [i](const ReportRow& row) { return iterations(row.targets[i].iterations); });
  }
}

void add_traffic(const LinkReport& link, Table& table) {
  constexpr const char* kGroup = "MB sent per iteration";
  add_column(link, table, {kGroup, "measured"},
             [](const ReportRow& row) { return number(row.measured_bytes_per_iteration, 1e-6); });
  add_column(link, table, {kGroup, "expected"},
             [](const ReportRow& row) { return number(row.expected_bytes_per_iteration, 1e-6); });
  add_column(link, table, {kGroup, "diff %"}, bytes_off);
}

void add_accuracies(const LinkReport& link, Table& table) {
  constexpr const char* kGroup = "accuracy %";
  add_column(link, table, {kGroup, final_heading(link)},
             [](const ReportRow& row) { return percent(row.final_accuracy); });
  add_column(link, table, {kGroup, "best"},
             [](const ReportRow& row) { return percent(row.best_accuracy); });
}

/// How many iterations to a target, over the seeds.
void add_crossing(const LinkReport& link, std::size_t index, Table& table) {
  const auto group = "iterations to " + accuracy_heading(link.rows.front().targets[index].accuracy);
  const auto of = [index](const ReportRow& row) { return row.targets[index].iterations; };
  add_column(link, table, {group, "median"},
             [&](const ReportRow& row) { return iterations(of(row)); });
  if (several_seeds(link)) {
    add_column(link, table, {group, "range"},
               [&](const ReportRow& row) { return iteration_range(of(row)); });
  }
  add_column(link, table, {group, "k/n"}, [&](const ReportRow& row) { return k_of_n(of(row)); });
}

std::string network_words(const ReportSection& section) {
  if (!is_timed(section)) return "all workers in one process, no network";
  const auto& network = section.scenario.at("network");
  return fmt::format(
      "{} · MTU {} · rates count {}", network.at("congestion_control").get<std::string>(),
      network.at("mtu").get<int>(), network.at("rate_accounting").get<std::string>());
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
  auto table = with_labels(link);
  for (std::size_t i = 0; i < link.rows.front().targets.size(); ++i) add_target(link, i, table);
  return table;
}

Table cost_table(const LinkReport& link, const Footnotes& footnotes) {
  auto table = with_labels(link);
  add_times(link, table);
  add_iterations(link, table);
  add_traffic(link, table);
  add_accuracies(link, table);
  add_quality(link, table);
  add_column(link, table, {"verdict", "link", true}, link_word);
  add_column(link, table, {"verdict", "host", true}, host_word);
  add_column(link, table, {"verdict", "notes", true},
             [&](const ReportRow& row) { return footnotes.references(row); });
  return table;
}

Table learning_table(const LinkReport& link, const Footnotes& footnotes) {
  constexpr const char* kDeclared = "MB per iteration, declared";
  auto table = with_labels(link);
  for (std::size_t i = 0; i < link.rows.front().targets.size(); ++i) add_crossing(link, i, table);
  add_accuracies(link, table);
  add_quality(link, table);
  add_column(link, table, {kDeclared, "payload"},
             [](const ReportRow& row) { return number(row.payload_bytes_per_iteration, 1e-6); });
  add_column(link, table, {kDeclared, "sent"},
             [](const ReportRow& row) { return number(row.expected_bytes_per_iteration, 1e-6); });
  add_column(link, table, {"", "notes", true},
             [&](const ReportRow& row) { return footnotes.references(row); });
  return table;
}

std::vector<std::string> header_lines(const ReportSection& section) {
  const auto& workload = section.scenario.at("workload");
  return {fmt::format("{} on {} · {} workers × batch {} · {} iterations · seed{} {}",
                      model_words(workload), workload.at("dataset").at("name").get<std::string>(),
                      section.scenario.at("workers").get<int>(),
                      workload.at("batch_per_worker").get<int>(),
                      workload.at("max_iterations").get<std::int64_t>(),
                      section.seeds.size() == 1 ? "" : "s", fmt::join(section.seeds, ", ")),
          fmt::format("{} · comparison hash {}", network_words(section),
                      section.comparison_hash.substr(0, 12))};
}

}  // namespace pacbench
