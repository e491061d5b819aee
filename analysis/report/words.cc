#include "analysis/report/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/text/table.h"

namespace pacbench::report {
namespace {

constexpr double kTakenWorthSaying = 0.005;

/// The ends of a speed-up as text. The lower end is DNF where the method did not reach the target,
/// the upper end where the baseline did not.
std::string between(const SpeedUpEnds& ends) {
  const auto word = [](const std::optional<double>& end) {
    return end ? fmt::format("{:.2f}", *end) : std::string{"DNF"};
  };
  return fmt::format("{}–{}", word(ends.low), word(ends.high));
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns) {
  std::string result;
  std::string line;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > columns) {
      result += line + '\n';
      line = fmt::format("{:{}}{}", "", indent, word);
    } else {
      if (at > 0) line += ' ';
      line += word;
    }
    at = end + 1;
  }
  return result + line + '\n';
}

std::string number(const std::optional<statistics::Spread>& value, double scale) {
  return value ? significant(value->median * scale) : kNone;
}

std::string error(const std::optional<statistics::Spread>& value) {
  return value ? fmt::format("{:.2g}", value->median) : kNone;
}

std::string cosine(const std::optional<statistics::Spread>& value) {
  return value ? fmt::format("{:.4f}", value->median) : kNone;
}

std::string percent(const std::optional<statistics::Spread>& value) {
  return value ? fmt::format("{:.2f}", 100 * value->median) : kNone;
}

std::string reached(const statistics::CensoredSpread& time) {
  if (time.total == 0) return kNone;
  return time.median ? significant(*time.median) : "DNF";
}

std::string iterations(const statistics::CensoredSpread& count) {
  if (count.total == 0) return kNone;
  return count.median ? fmt::format("{:g}", *count.median) : "DNF";
}

std::string tta_range(const TargetSummary& summary) {
  const auto within = tta_within(summary);
  if (!within) return kNone;
  if (summary.tta_s.reached == summary.tta_s.total) return from_to(within->low_s, within->high_s);
  return fmt::format("{}–DNF", significant(within->low_s));
}

std::string from_to(double low_s, double high_s) {
  constexpr double kUnknown = 2e-3;
  if (low_s < kUnknown * high_s) return "≤" + significant(high_s);
  return fmt::format("{}–{}", significant(low_s), significant(high_s));
}

std::string interval(const std::optional<statistics::MedianInterval>& of_median) {
  if (!of_median) return kNone;
  const auto end = [](const std::optional<double>& value) {
    return value ? significant(*value) : std::string{"DNF"};
  };
  if (!of_median->low) return "DNF";
  return fmt::format("{}–{}", end(of_median->low), end(of_median->high));
}

std::string ends(const std::optional<Ends>& of_steps) {
  if (!of_steps) return kNone;
  return fmt::format("{}–{}", significant(of_steps->low_s), significant(of_steps->high_s));
}

std::string product(const ReportRow& row, const TargetSummary& target) {
  if (!row.time_per_iteration_s || !target.iterations.median) return reached(target.iterations);
  return fmt::format("{} × {:g}", significant(row.time_per_iteration_s->median),
                     *target.iterations.median);
}

std::string k_of_n(const statistics::CensoredSpread& time) {
  return fmt::format("{}/{}", time.reached, time.total);
}

std::string iteration_range(const statistics::CensoredSpread& count) {
  if (!count.minimum) return kNone;
  return fmt::format("{:g}–{}", *count.minimum,
                     count.maximum ? fmt::format("{:g}", *count.maximum) : "DNF");
}

std::string times(const std::optional<SpeedUp>& speed_up) {
  return speed_up ? fmt::format("{:.2f}", speed_up->value) : kNone;
}

std::string times_range(const std::optional<SpeedUp>& speed_up) {
  return speed_up ? between(speed_up->range) : kNone;
}

std::string times_interval(const std::optional<SpeedUp>& speed_up) {
  return speed_up && speed_up->interval ? between(*speed_up->interval) : kNone;
}

std::optional<double> share_of_bytes_off(const ReportRow& row) {
  const auto& known = row.explained_bytes_per_iteration ? row.explained_bytes_per_iteration
                                                        : row.expected_bytes_per_iteration;
  if (!row.measured_bytes_per_iteration || !known || known->median <= 0) return std::nullopt;
  return row.measured_bytes_per_iteration->median / known->median - 1;
}

std::string bytes_off(const ReportRow& row) {
  const auto off = share_of_bytes_off(row);
  return off ? fmt::format("{:+.1f}", 100 * *off) : kNone;
}

std::string host_word(const ReportRow& row) {
  if (row.done == 0) return kNone;
  return row.simulated ? kSimulatedWord : host_verdict_word(row.cpu_bound);
}

std::string machine_word(const ReportRow& row) {
  if (row.machine.empty()) return kNone;
  const double taken = row.taken_share ? row.taken_share->maximum : 0;
  if (row.machine != "disturbed" || taken < kTakenWorthSaying) return row.machine;
  return fmt::format("disturbed {:.0f} %{}", 100 * taken,
                     row.attempts > 1 ? fmt::format(", {} tries", row.attempts) : "");
}

std::string link_word(const ReportRow& row) {
  if (row.done == 0 && !row.suspect) return kNone;
  return row.simulated ? kSimulatedWord : link_verdict_word(row.suspect);
}

}  // namespace pacbench::report
