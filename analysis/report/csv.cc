#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "analysis/report/diagnosis.h"
#include "analysis/report/report.h"
#include "analysis/report/row_fields.h"
#include "analysis/report/verdicts.h"

namespace pacbench::report {
namespace {

/// The section, link, row and target of a line.
struct Line {
  const ReportSection& section;
  const LinkReport& link;
  const ReportRow& row;
  const TargetSummary& target;
};

struct CsvColumn {
  std::string name;
  std::function<std::string(const Line&)> text;
};

/// A number in as many digits as it takes to read back the same number; empty for an absent one.
std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

void add_censored(std::vector<CsvColumn>& columns, const std::string& name,
                  statistics::CensoredSpread TargetSummary::*member) {
  constexpr std::pair<const char*, std::optional<double> statistics::CensoredSpread::*> kParts[] = {
      {"median", &statistics::CensoredSpread::median},
      {"minimum", &statistics::CensoredSpread::minimum},
      {"maximum", &statistics::CensoredSpread::maximum}};
  for (const auto& [part, value] : kParts) {
    columns.push_back({fmt::format("{}_{}", name, part), [member, value = value](const Line& line) {
                         return csv_number(line.target.*member.*value);
                       }});
  }
}

void add_interval(std::vector<CsvColumn>& columns) {
  columns.push_back({"tta_s_low", [](const Line& line) {
                       const auto& interval = line.target.tta_interval_s;
                       return interval ? csv_number(interval->low) : "";
                     }});
  columns.push_back({"tta_s_high", [](const Line& line) {
                       const auto& interval = line.target.tta_interval_s;
                       return interval ? csv_number(interval->high) : "";
                     }});
  columns.push_back({"tta_s_coverage", [](const Line& line) {
                       const auto& interval = line.target.tta_interval_s;
                       return interval ? csv_number(interval->coverage) : "";
                     }});
}

void add_speed_up(std::vector<CsvColumn>& columns, const std::string& name,
                  std::optional<SpeedUp> TargetSummary::*member) {
  const auto add = [&](const std::string& part, const auto& value) {
    columns.push_back({name + part, [member, value](const Line& line) {
                         const auto& speed_up = line.target.*member;
                         return speed_up ? csv_number(value(*speed_up)) : "";
                       }});
  };
  using Value = std::optional<double>;
  add("", [](const SpeedUp& speed_up) -> Value { return speed_up.value; });
  add("_minimum", [](const SpeedUp& speed_up) { return speed_up.range.low; });
  add("_maximum", [](const SpeedUp& speed_up) { return speed_up.range.high; });
  add("_low",
      [](const SpeedUp& speed_up) { return speed_up.interval ? speed_up.interval->low : Value{}; });
  add("_high", [](const SpeedUp& speed_up) {
    return speed_up.interval ? speed_up.interval->high : Value{};
  });
}

void add_ends(std::vector<CsvColumn>& columns, const std::string& name,
              const std::function<std::optional<Ends>(const Line&)>& ends) {
  columns.push_back({name + "_low", [ends](const Line& line) {
                       const auto found = ends(line);
                       return found ? csv_number(found->low_s) : "";
                     }});
  columns.push_back({name + "_high", [ends](const Line& line) {
                       const auto found = ends(line);
                       return found ? csv_number(found->high_s) : "";
                     }});
}

/// Adds the number of runs and, for each time, its interval from the scatter of one run's steps and
/// its range over several runs.
void add_steps_and_runs(std::vector<CsvColumn>& columns) {
  columns.push_back({"runs", [](const Line& line) { return std::to_string(line.row.runs); }});
  add_ends(columns, "tta_of_steps_s", [](const Line& line) { return line.target.tta_of_steps_s; });
  add_ends(columns, "tta_of_runs_s", [](const Line& line) { return line.target.tta_of_runs_s; });
  add_ends(columns, "time_of_steps_s", [](const Line& line) { return line.row.time_of_steps_s; });
  add_ends(columns, "time_of_runs_s", [](const Line& line) { return line.row.time_of_runs_s; });
}

std::vector<CsvColumn> place_columns() {
  return {
      {"section", [](const Line& line) { return line.section.title; }},
      {"name", [](const Line& line) { return line.section.name; }},
      {"mode", [](const Line& line) { return word_of(line.section.mode); }},
      {"comparison_hash", [](const Line& line) { return line.section.comparison_hash; }},
      {"link", [](const Line& line) { return line.link.link; }},
      {"rate_mbit", [](const Line& line) { return csv_number(line.link.rate_mbit); }},
      {"label", [](const Line& line) { return line.row.label; }},
      {"run", [](const Line& line) { return line.row.run; }},
      {"method", [](const Line& line) { return line.row.method; }},
      {"seeds", [](const Line& line) { return fmt::format("{}", fmt::join(line.row.seeds, " ")); }},
      {"done", [](const Line& line) { return std::to_string(line.row.done); }},
      {"failed", [](const Line& line) { return std::to_string(line.row.failed); }},
      {"unfinished", [](const Line& line) { return std::to_string(line.row.unfinished); }},
      {"link_verdict", [](const Line& line) { return link_verdict_word(line.row.suspect); }},
      {"host_verdict", [](const Line& line) { return host_verdict_word(line.row.cpu_bound); }},
      {"machine_verdict", [](const Line& line) { return line.row.machine; }}};
}

std::vector<CsvColumn> csv_columns() {
  auto columns = place_columns();
  columns.push_back({"target_metric", [](const Line& line) { return line.target.target.metric; }});
  columns.push_back(
      {"target", [](const Line& line) { return csv_number(line.target.target.value); }});
  columns.push_back(
      {"reached", [](const Line& line) { return std::to_string(line.target.iterations.reached); }});
  columns.push_back(
      {"total", [](const Line& line) { return std::to_string(line.target.iterations.total); }});
  add_censored(columns, "tta_s", &TargetSummary::tta_s);
  add_interval(columns);
  add_censored(columns, "iterations", &TargetSummary::iterations);
  columns.push_back(
      {"beyond_s", [](const Line& line) { return csv_number(line.target.beyond_s.median); }});
  add_speed_up(columns, "speed_up_all_reduce", &TargetSummary::speed_up_all_reduce);
  add_speed_up(columns, "speed_up_fp16", &TargetSummary::speed_up_fp16);
  for (const auto& field : kRowFields) {
    columns.push_back({field.key, [member = field.member](const Line& line) {
                         const auto& value = line.row.*member;
                         return value ? csv_number(value->median) : "";
                       }});
  }
  columns.push_back(
      {"mask_overlap", [](const Line& line) { return csv_number(line.row.mask_overlap); }});
  add_steps_and_runs(columns);
  columns.push_back({"section_notes", [](const Line& line) {
                       return fmt::format("{}", fmt::join(line.section.notes, "; "));
                     }});
  columns.push_back({"diagnosis", [](const Line& line) {
                       const auto& diagnosis = line.row.diagnosis;
                       return diagnosis ? diagnosis_words(*diagnosis) : "";
                     }});
  return columns;
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

template <typename Text>
void add_line(std::string& csv, const std::vector<CsvColumn>& columns, const Text& text) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) csv += ',';
    csv += quoted(text(columns[i]));
  }
  csv += "\r\n";
}

}  // namespace

std::string render_csv(const Report& report) {
  const auto columns = csv_columns();
  std::string csv;
  add_line(csv, columns, [](const CsvColumn& column) { return column.name; });
  for (const auto& section : report.sections) {
    for (const auto& link : section.links) {
      for (const auto& row : link.rows) {
        for (const auto& target : row.targets) {
          const Line line{section, link, row, target};
          add_line(csv, columns, [&](const CsvColumn& column) { return column.text(line); });
        }
      }
    }
  }
  return csv;
}

}  // namespace pacbench::report
