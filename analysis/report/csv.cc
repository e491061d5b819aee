#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/report/report.h"
#include "analysis/report/row_fields.h"
#include "analysis/report/words.h"

namespace pacbench::report {
namespace {

/// The columns of a line: the heading and the text of each.
using CsvCells = std::vector<std::pair<std::string, std::string>>;

/// A number in as many digits as it takes to read back the same number; empty for an absent one.
std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

void add_censored(CsvCells& cells, const std::string& name,
                  const statistics::CensoredSpread& spread) {
  cells.emplace_back(name + "_median", csv_number(spread.median));
  cells.emplace_back(name + "_minimum", csv_number(spread.minimum));
  cells.emplace_back(name + "_maximum", csv_number(spread.maximum));
}

void add_speed_up(CsvCells& cells, const std::string& name,
                  const std::optional<SpeedUp>& speed_up) {
  const auto interval = speed_up ? speed_up->interval : std::nullopt;
  const auto range = speed_up ? speed_up->range : SpeedUpEnds{};
  cells.emplace_back(name, speed_up ? csv_number(speed_up->value) : "");
  cells.emplace_back(name + "_minimum", csv_number(range.low));
  cells.emplace_back(name + "_maximum", csv_number(range.high));
  cells.emplace_back(name + "_low", interval ? csv_number(interval->low) : "");
  cells.emplace_back(name + "_high", interval ? csv_number(interval->high) : "");
}

void add_ends(CsvCells& cells, const std::string& name, const std::optional<Ends>& ends) {
  cells.emplace_back(name + "_low", ends ? csv_number(ends->low_s) : "");
  cells.emplace_back(name + "_high", ends ? csv_number(ends->high_s) : "");
}

void add_target(CsvCells& cells, const TargetSummary& target) {
  cells.emplace_back("target_metric", target.target.metric);
  cells.emplace_back("target", csv_number(target.target.value));
  cells.emplace_back("reached", std::to_string(target.iterations.reached));
  cells.emplace_back("total", std::to_string(target.iterations.total));
  add_censored(cells, "tta_s", target.tta_s);
  const auto& interval = target.tta_interval_s;
  cells.emplace_back("tta_s_low", interval ? csv_number(interval->low) : "");
  cells.emplace_back("tta_s_high", interval ? csv_number(interval->high) : "");
  cells.emplace_back("tta_s_coverage", interval ? csv_number(interval->coverage) : "");
  add_censored(cells, "iterations", target.iterations);
  cells.emplace_back("beyond_s", csv_number(target.beyond_s.median));
  add_speed_up(cells, "speed_up_all_reduce", target.speed_up_all_reduce);
  add_speed_up(cells, "speed_up_fp16", target.speed_up_fp16);
}

/// The line of one target of a row.
CsvCells cells_of(const ReportSection& section, const LinkReport& link, const ReportRow& row,
                  const TargetSummary& target) {
  CsvCells cells{{"section", section.title},
                 {"name", section.name},
                 {"mode", word_of(section.mode)},
                 {"comparison_hash", section.comparison_hash},
                 {"link", link.link},
                 {"rate_mbit", csv_number(link.rate_mbit)},
                 {"label", row.label},
                 {"run", row.run},
                 {"method", row.method},
                 {"seeds", fmt::format("{}", fmt::join(row.seeds, " "))},
                 {"done", std::to_string(row.done)},
                 {"failed", std::to_string(row.failed)},
                 {"unfinished", std::to_string(row.unfinished)},
                 {"link_verdict", link_verdict_word(row.suspect)},
                 {"host_verdict", host_verdict_word(row.cpu_bound)},
                 {"machine_verdict", row.machine}};
  add_target(cells, target);
  for (const auto& field : kRowFields) {
    const auto& value = row.*field.member;
    cells.emplace_back(field.key, value ? csv_number(value->median) : "");
  }
  cells.emplace_back("mask_overlap", csv_number(row.mask_overlap));
  cells.emplace_back("runs", std::to_string(row.runs));
  // Intervals from the scatter of one run's steps, and ranges over several runs.
  add_ends(cells, "tta_of_steps_s", target.tta_of_steps_s);
  add_ends(cells, "tta_of_runs_s", target.tta_of_runs_s);
  add_ends(cells, "time_of_steps_s", row.time_of_steps_s);
  add_ends(cells, "time_of_runs_s", row.time_of_runs_s);
  cells.emplace_back("section_notes", fmt::format("{}", fmt::join(section.notes, "; ")));
  cells.emplace_back("diagnosis", row.diagnosis ? diagnosis_words(*row.diagnosis) : "");
  return cells;
}

/// Quotes a text by RFC 4180 when it holds a comma, a quote or the end of a line.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result{'"'};
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string csv_line(const CsvCells& cells, std::string CsvCells::value_type::*part) {
  std::vector<std::string> texts;
  for (const auto& cell : cells) texts.push_back(quoted(cell.*part));
  return fmt::format("{}\r\n", fmt::join(texts, ","));
}

}  // namespace

std::string render_csv(const Report& report) {
  auto csv = csv_line(cells_of({}, {}, {}, {}), &CsvCells::value_type::first);
  for (const auto& section : report.sections) {
    for (const auto& link : section.links) {
      for (const auto& row : link.rows) {
        for (const auto& target : row.targets) {
          csv += csv_line(cells_of(section, link, row, target), &CsvCells::value_type::second);
        }
      }
    }
  }
  return csv;
}

}  // namespace pacbench::report
