#include "harness/calibration/result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/text/table.h"

namespace pacbench::calibration {
namespace {

std::vector<double> rates_of(const Calibration& calibration) {
  std::vector<double> rates;
  for (const auto& row : calibration.rows) {
    const auto rate_mbit = row.subject.rate_mbit;
    if (std::ranges::count(rates, rate_mbit) == 0) rates.push_back(rate_mbit);
  }
  return rates;
}

const Row* find(const Calibration& calibration, Subject subject, double rate_mbit) {
  subject.rate_mbit = rate_mbit;
  const auto found = std::ranges::find(calibration.rows, subject, &Row::subject);
  return found == calibration.rows.end() ? nullptr : &*found;
}

/// Subjects in the order in which they first come, without their rates.
std::vector<Subject> subjects_of(const Calibration& calibration) {
  std::vector<Subject> all;
  for (const auto& row : calibration.rows) {
    auto subject = row.subject;
    subject.rate_mbit = 0;
    if (std::ranges::count(all, subject) == 0) all.push_back(subject);
  }
  return all;
}

std::string number(double value, bool is_ratio) {
  return is_ratio ? fmt::format("{:.3f}", value) : significant(value) + " ms";
}

std::string aim_text(const Subject& subject) {
  const auto promised = aim(subject);
  if (!promised) return "";
  if (subject.quantity == Quantity::kStepLateness) return fmt::format("≤ {:g} ms", *promised);
  return fmt::format("± {:g} %", 100 * *promised);
}

void add_cells(std::vector<std::string>& cells, const Row* row, const Network& network) {
  if (row == nullptr) {
    cells.insert(cells.end(), {"", "", ""});
    return;
  }
  const auto least = least_share(row->subject, network);
  cells.push_back(least ? fmt::format("{:.2f}", *least) : "");
  // A row without an ideal shows its measured values, in ms, in place of ratios.
  const bool is_ratio = ideal(row->subject, network).has_value();
  const auto all = row->ratio(network);
  const bool missed = !row->met(network).value_or(true);
  cells.push_back(number(all.median, is_ratio) + (missed ? " !" : "  "));
  cells.push_back(is_ratio ? fmt::format("{:.3f}–{:.3f}", all.minimum, all.maximum)
                           : significant(all.minimum) + "–" + significant(all.maximum));
}

Table table_of(const Calibration& calibration) {
  const auto rates = rates_of(calibration);
  Table table;
  table.columns = {{"", "measured / ideal", true}, {"", "aim", true}};
  for (const auto rate : rates) {
    const int dilation = calibration.network.time_dilation;
    const auto group = dilation == 1 ? fmt::format("{:g} Mbit/s", rate)
                                     : fmt::format("{:g} Mbit/s / {}", rate * dilation, dilation);
    table.columns.insert(table.columns.end(),
                         {{group, "at least"}, {group, "median"}, {group, "range"}});
  }
  for (const auto& subject : subjects_of(calibration)) {
    std::vector<std::string> cells{describe(subject), aim_text(subject)};
    for (const auto rate : rates) {
      add_cells(cells, find(calibration, subject, rate), calibration.network);
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string heading(const Calibration& calibration) {
  return fmt::format("pacbench: {}, {} workers, {} repetitions, {}\n{}, {} cores, {}; {}\n",
                     calibration.network.topology, calibration.network.workers, calibration.repeat,
                     calibration.congestion_control, calibration.machine.cpu,
                     calibration.machine.cores, calibration.machine.kernel, calibration.made);
}

std::string promise_text(const Row& row, const Network& network) {
  if (aim(row.subject)) return "aim " + aim_text(row.subject);
  return fmt::format("at least {:.2f}", least_share(row.subject, network).value_or(0));
}

}  // namespace

std::vector<std::string> missed_aims(const Calibration& calibration) {
  std::vector<std::string> lines;
  for (const auto& row : calibration.rows) {
    if (row.met(calibration.network).value_or(true)) continue;
    const bool is_ratio = ideal(row.subject, calibration.network).has_value();
    lines.push_back(fmt::format(
        "{} at {:g} Mbit/s: {}, {}: {}", describe(row.subject), row.subject.rate_mbit,
        number(row.ratio(calibration.network).median, is_ratio),
        promise_text(row, calibration.network), fmt::join(reasons(row, calibration), "; ")));
  }
  return lines;
}

std::string render_text(const Calibration& calibration, std::size_t columns) {
  auto text = heading(calibration) + '\n' + to_text(table_of(calibration), columns);
  const auto missed = missed_aims(calibration);
  if (missed.empty()) return text + "\nAll aims are met.\n";
  text += "\n! Missed aims:\n";
  for (const auto& line : missed) text += "  " + line + '\n';
  return text;
}

std::string render_markdown(const Calibration& calibration) {
  return to_markdown(table_of(calibration));
}

}  // namespace pacbench::calibration
