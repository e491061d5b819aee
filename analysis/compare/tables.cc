#include "analysis/compare/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "harness/statistics/spread.h"

namespace pacbench::compare {
namespace {

std::string metric_words(const TimedRow& row) {
  if (row.metric == "time_per_iteration_s") return "iteration";
  if (row.metric == "encode_s") return "encode";
  return "to " + words_of(*row.target);
}

/// The median: in milliseconds for times of an iteration, in seconds for times to a target. "DNF"
/// when it is infinite, "—" without values.
std::string time_words(const TimedRow& row, const std::vector<double>& values) {
  if (values.empty()) return "—";
  const auto middle = statistics::median(values);
  if (!std::isfinite(middle)) return "DNF";
  return row.target ? significant(middle, 4) + " s" : significant(1e3 * middle, 4) + " ms";
}

std::string change_words(double ratio) {
  if (!std::isfinite(ratio)) return "never";
  return fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

std::string interval_words(const statistics::Ratio& ratio) {
  return fmt::format("{} to {}", change_words(ratio.low), change_words(ratio.high));
}

std::string p_words(double p) { return p < 1e-4 ? "< 0.0001" : significant(p, 2); }

std::string notes_of(const TimedRow& row) {
  auto notes = row.notes;
  if (row.runs_needed) notes.push_back(fmt::format("needs {} values a side", *row.runs_needed));
  return fmt::format("{}", fmt::join(notes, "; "));
}

}  // namespace

Table gate_table(const Comparison& comparison) {
  Table table{{{"", "method", true},
               {"", "link", true},
               {"", "seed"},
               {"", "quantity", true},
               {"", "base"},
               {"", "new"},
               {"", "verdict", true},
               {"", "why", true}},
              {}};
  for (const auto& check : comparison.gate) {
    const auto found = check.found;
    if (found == GateCheck::Found::kEqual || found == GateCheck::Found::kNotAsked) continue;
    table.rows.push_back({check.label, check.link, fmt::to_string(check.seed), check.quantity,
                          check.base.empty() ? "—" : check.base,
                          check.next.empty() ? "—" : check.next, word_of(check.found),
                          check.words});
  }
  return table;
}

Table times_table(const Comparison& comparison) {
  Table table{{{"", "method", true},
               {"", "link", true},
               {"", "time", true},
               {"", "base"},
               {"", "new"},
               {"", "change"},
               {"", "95 % interval"},
               {"", "runs"},
               {"", "p (Holm)"},
               {"", "verdict", true},
               {"", "notes", true}},
              {}};
  for (const auto& row : comparison.rows) {
    if (row.verdict == TimedRow::Verdict::kUntested) continue;
    const bool is_tested = !row.seconds.empty();
    const auto base = statistics::together(row.seconds, &statistics::Stratum::base);
    const auto next = statistics::together(row.seconds, &statistics::Stratum::next);
    table.rows.push_back({row.label, row.link, metric_words(row), time_words(row, base),
                          time_words(row, next), is_tested ? change_words(row.ratio.value) : "—",
                          is_tested ? interval_words(row.ratio) : "—",
                          fmt::format("{}/{}", base.size(), next.size()),
                          is_tested ? p_words(row.p_holm) : "—", word_of(row.verdict),
                          notes_of(row)});
  }
  return table;
}

Table carried_table(const Comparison& comparison) {
  Table table{{{"", "method", true},
               {"", "link", true},
               {"", "number", true},
               {"", "base"},
               {"", "new"},
               {"", "change"},
               {"", "notes", true}},
              {}};
  const auto shown = [](const std::optional<double>& value) {
    return value ? significant(*value) : std::string{"DNF"};
  };
  for (const auto& row : comparison.carried) {
    table.rows.push_back({row.label, row.link, row.quantity, shown(row.base), shown(row.next),
                          row.base && row.next ? change_words(*row.next / *row.base) : "—",
                          row.note});
  }
  return table;
}

}  // namespace pacbench::compare
