#include <fmt/format.h>

#include <algorithm>

#include "harness/calibration/sweep.h"
#include "harness/text/table.h"

namespace pacbench::calibration {
namespace {

std::string head_of(const Subject& subject) {
  if (subject.quantity == Quantity::kMessage) return size_text(subject.bytes);
  return subject.quantity == Quantity::kRing ? "ring" : "slowest";
}

/// The subjects of a rate's columns, in order.
std::vector<Subject> subjects_at(double rate_mbit) {
  std::vector<Subject> all;
  for (const auto& test : sweep_tests(rate_mbit)) all.push_back(test.subject);
  all.push_back({rate_mbit, Quantity::kSlowestOfRing, Shaped::kBoth, 0});
  return all;
}

std::string median_of(const Trial& trial, const Subject& subject, const Network& network) {
  for (const auto& row : trial.rows) {
    if (row.subject == subject) return fmt::format("{:.2f}", row.ratio(network).median);
  }
  return "–";
}

Table table_of(const std::vector<Trial>& trials, const Options& options) {
  Table table;
  table.columns = {{"", "measured / ideal", true}, {"", "score"}};
  for (const auto rate : options.rates_mbit) {
    const auto group = fmt::format("{:g} Mbit/s", rate);
    for (const auto& subject : subjects_at(rate))
      table.columns.push_back({group, head_of(subject)});
    table.columns.push_back({group, "score"});
  }
  for (const auto& trial : trials) {
    if (!trial.refused.empty()) continue;
    std::vector<std::string> cells{describe(trial.candidate),
                                   fmt::format("{:.2f}", score(trial, options.network))};
    for (const auto rate : options.rates_mbit) {
      for (const auto& subject : subjects_at(rate)) {
        cells.push_back(median_of(trial, subject, options.network));
      }
      cells.push_back(fmt::format("{:.2f}", score_at(trial, options.network, rate)));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// The notes below the table: the best candidate at each rate, and those that were refused.
std::string notes(const std::vector<Trial>& trials, const Options& options) {
  std::string text;
  for (const auto rate : options.rates_mbit) {
    const auto* best = static_cast<const Trial*>(nullptr);
    for (const auto& trial : trials) {
      if (!trial.refused.empty()) continue;
      if (best == nullptr ||
          score_at(trial, options.network, rate) < score_at(*best, options.network, rate)) {
        best = &trial;
      }
    }
    if (best == nullptr) continue;
    text += fmt::format("best at {:g} Mbit/s: {}\n", rate, describe(best->candidate));
  }
  for (const auto& trial : trials) {
    if (trial.refused.empty()) continue;
    text += fmt::format("refused: {}: {}\n", describe(trial.candidate), trial.refused);
  }
  return text;
}

}  // namespace

std::string sweep_text(const std::vector<Trial>& trials, const Options& options,
                       std::size_t columns) {
  return to_text(table_of(trials, options), columns) +
         "\nscore: mean distance from the ideal, in units of the aim (0: exact); messages and the "
         "ring have equal weight\n" +
         notes(trials, options);
}

std::string sweep_markdown(const std::vector<Trial>& trials, const Options& options) {
  return to_markdown(table_of(trials, options)) + '\n' + notes(trials, options);
}

Json sweep_json(const std::vector<Trial>& trials, const Options& options) {
  auto all = Json::array();
  for (const auto& trial : trials) {
    const auto& shaper = trial.candidate.shaper;
    auto rows = Json::array();
    for (const auto& row : trial.rows) {
      const auto ratio = row.ratio(options.network);
      rows.push_back(
          {{"rate_mbit", row.subject.rate_mbit},
           {"quantity", name_of(row.subject.quantity)},
           {"bytes", row.subject.bytes},
           {"measured", row.measured},
           {"ratio",
            {{"median", ratio.median}, {"minimum", ratio.minimum}, {"maximum", ratio.maximum}}}});
    }
    all.push_back({{"congestion_control", trial.candidate.congestion_control},
                   {"gso_max_bytes", shaper.gso_max_bytes},
                   {"burst_bytes", shaper.burst_bytes},
                   {"ceil_burst_bytes", shaper.ceil_burst_bytes},
                   {"queue_bytes", trial.candidate.queue_bytes},
                   {"score", score(trial, options.network)},
                   {"refused", trial.refused},
                   {"rows", rows}});
  }
  return {{"version", 1}, {"workers", options.network.workers}, {"trials", all}};
}

}  // namespace pacbench::calibration
