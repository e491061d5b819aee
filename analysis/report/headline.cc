#include "analysis/report/headline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/report/words.h"
#include "contract/scenario/program.h"
#include "harness/text/table.h"

namespace pacbench::report {
namespace {

/// A row, with its summary of one target.
struct Entry {
  const ReportRow* row = nullptr;
  const TargetSummary* summary = nullptr;
};

bool reached_by_all(const TargetSummary& summary) {
  return summary.tta_s.total > 0 && summary.tta_s.reached == summary.tta_s.total &&
         summary.tta_s.minimum > 0;
}

/// The rows that can be compared with `one` and reached target `index` with all of their seeds.
std::vector<Entry> entries_beside(const LinkReport& link, const ReportRow& one, std::size_t index) {
  std::vector<Entry> entries;
  for (const auto& row : link.rows) {
    const auto& summary = row.targets[index];
    if (comparable(one, row) && reached_by_all(summary)) entries.push_back({&row, &summary});
  }
  return entries;
}

/// The largest group of rows that can be compared with each other and reached target `index` with
/// all of their seeds, the fastest first.
std::vector<Entry> entries_at(const LinkReport& link, std::size_t index) {
  std::vector<Entry> entries;
  for (const auto& row : link.rows) {
    auto beside = entries_beside(link, row, index);
    if (beside.size() > entries.size()) entries = std::move(beside);
  }
  std::ranges::stable_sort(entries, {},
                           [](const Entry& entry) { return *entry.summary->tta_s.median; });
  return entries;
}

/// The share of the row's time that more cores cannot remove: the time that a step's bytes need at
/// the link's rate. It is 1 where cores do not set the step time. It is 0 where the time of the
/// bytes is unknown, for example because the rate moves.
double share_that_stays(const LinkReport& link, const ReportRow& row) {
  if (!row.cpu_bound) return 1;
  const auto wire_s = least_wire_s(link, row);
  if (!wire_s || !row.time_per_iteration_s) return 0;
  return std::min(1.0, *wire_s / row.time_per_iteration_s->median);
}

/// Why a row's times are not compared with those of the first row; empty where they are.
std::string why_left_out(const ReportRow& first, const ReportRow& row,
                         const TargetSummary& summary) {
  if (row.suspect) return "suspect links";
  if (row.seeds != first.seeds) return "other seeds";
  if (row.unfinished > 0) return "cells not done";
  if (!reached_by_all(summary)) {
    return fmt::format("target reached by {} of {} seeds", summary.tta_s.reached, row.seeds.size());
  }
  return comparable(first, row) ? "" : "failed cells";
}

/// Whether `other` is slower than the first row even with as many cores as it can use: its bytes
/// alone take longer than the whole time of the first row.
bool is_slower_with_more_cores(const LinkReport& link, const Entry& other, const Entry& first) {
  const double share = share_that_stays(link, *other.row);
  if (share <= 0) return false;
  const auto ends = interval_of(other.summary->crossings, first.summary->crossings, share);
  return ends && *ends->low > 1;
}

Beside judged(const LinkReport& link, const Entry& other, const Entry& first) {
  Beside found{other.row->label, Standing::kNotJudged, {}, std::nullopt};
  found.reason = why_left_out(*first.row, *other.row, *other.summary);
  if (!found.reason.empty()) return found;
  found.of_first = speed_up_of(*other.summary, *first.summary);
  if (!found.of_first->interval) {
    found.reason = "fewer than three seeds";
  } else if (*found.of_first->interval->low <= 1) {
    found.standing = Standing::kNotToldApart;
  } else if (is_slower_with_more_cores(link, other, first)) {
    found.standing = Standing::kSlower;
  } else {
    found.reason = "bound by the CPU";
  }
  return found;
}

/// The other rows of the link: those with times first, the nearest first.
std::vector<Beside> rows_beside(const LinkReport& link, const Entry& first, std::size_t index) {
  std::vector<Beside> rows;
  for (const auto& row : link.rows) {
    if (&row != first.row) rows.push_back(judged(link, {&row, &row.targets[index]}, first));
  }
  std::ranges::stable_sort(rows, [](const Beside& a, const Beside& b) {
    if (!a.of_first || !b.of_first) return a.of_first && !b.of_first;
    return a.of_first->value < b.of_first->value;
  });
  return rows;
}

std::string times_words(const Beside& row) {
  auto words = fmt::format("{} × as fast as {}", significant(row.of_first->value, 2), row.label);
  if (const auto& ends = row.of_first->interval) {
    words += fmt::format(" ({}–{})", significant(*ends->low, 2), significant(*ends->high, 2));
  }
  return words;
}

/// Says by how much the first row leads: over the nearest row that is slower, and over the
/// baselines fp16 and all-reduce.
std::string lead_words(const Headline& headline, const LinkReport& link) {
  std::vector<std::string> words;
  std::vector<std::string> said;
  const auto add = [&](const Beside& row) {
    if (!row.of_first || std::ranges::find(said, row.label) != said.end()) return;
    said.push_back(row.label);
    words.push_back(times_words(row));
  };
  const auto& rows = headline.rows_beside;
  const auto next = std::ranges::find(rows, Standing::kSlower, &Beside::standing);
  if (next != rows.end()) add(*next);
  for (const char* method : {"fp16", "all-reduce"}) {
    const auto* baseline = first_of(link.rows, method);
    if (baseline != nullptr && baseline->label != headline.first) {
      add(beside(headline, baseline->label));
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The labels of the rows that stand so and have times.
std::vector<std::string> labels_of(const Headline& headline, Standing standing) {
  std::vector<std::string> labels;
  for (const auto& row : headline.rows_beside) {
    if (row.standing == standing && row.of_first) labels.push_back(row.label);
  }
  return labels;
}

/// Says which rows may be as fast as the first one, or faster.
std::string rivals_words(const Headline& headline) {
  std::string words;
  if (const auto rows = labels_of(headline, Standing::kNotToldApart); !rows.empty()) {
    words += fmt::format(", cannot be told apart from {}", fmt::join(rows, ", "));
  }
  if (const auto rows = labels_of(headline, Standing::kNotJudged); !rows.empty()) {
    words += fmt::format("; not judged, since bound by the CPU: {}", fmt::join(rows, ", "));
  }
  return words;
}

/// Says whether the link, or the link of one worker, has a delay. The delay of a measured link is
/// that of a real network, which nobody measured.
std::string delay_words(const ReportSection& section, const LinkReport& link) {
  for (const auto& profile : section.scenario.at("network").at("links")) {
    if (profile.at("name") != link.link) continue;
    if (profile.value("measured", false)) return "delay unknown";
    const auto overrides = profile.value("overrides", Json::array());
    const bool is_delayed = std::any_of(overrides.begin(), overrides.end(),
                                        [](const Json& one) { return one.contains("delay_ms"); });
    if (is_delayed || profile.contains("delay_ms")) return "with delay";
  }
  return "no delay";
}

/// Says whether links were as declared. A simulation has no links to judge.
std::string links_words(const ReportSection& section, const LinkReport& link) {
  if (!runs_workers(section)) return kSimulatedWord;
  return std::ranges::any_of(link.rows, &ReportRow::suspect) ? "some links suspect" : "links ok";
}

/// Says how much others took of the machine; empty where it was not disturbed.
std::string machine_words(const LinkReport& link) {
  double most = 0;
  bool is_disturbed = false;
  bool is_unknown = false;
  for (const auto& row : link.rows) {
    is_disturbed |= row.machine == "disturbed";
    is_unknown |= row.machine == "unknown";
    if (row.taken_share) most = std::max(most, row.taken_share->maximum);
  }
  if (is_disturbed) {
    const auto share = most < 0.005 ? "less than 1" : fmt::format("up to {:.0f}", 100 * most);
    return fmt::format(", machine disturbed: others took {} % of its CPUs", share);
  }
  return is_unknown ? ", disturbances of the machine unknown" : "";
}

/// The data set's name, or "own program" where the workload is the user's own program.
std::string data_words(const Json& scenario) {
  if (is_program_alone(scenario)) return "own program";
  return scenario.at("workload").at("dataset").at("name");
}

}  // namespace

const Beside& beside(const Headline& headline, const std::string& label) {
  return *std::ranges::find(headline.rows_beside, label, &Beside::label);
}

std::optional<Headline> headline_of(const ReportSection& section, const LinkReport& link) {
  if (!has_network(section) || link.rows.empty()) return std::nullopt;
  for (std::size_t index = link.rows.front().targets.size(); index-- > 0;) {
    const auto entries = entries_at(link, index);
    if (entries.size() < 2) continue;
    const auto& first = entries.front();
    Headline headline;
    headline.target = first.summary->target;
    headline.place = index;
    headline.rows =
        static_cast<std::size_t>(std::ranges::count_if(link.rows, [&](const ReportRow& row) {
          return row.seeds == first.row->seeds && row.unfinished == 0 && !row.suspect;
        }));
    headline.left_out = link.rows.size() - headline.rows;
    headline.first = first.row->label;
    headline.tta_s = *first.summary->tta_s.median;
    headline.seeds = first.row->seeds.size();
    headline.range_s = *tta_within(*first.summary);
    headline.rows_beside = rows_beside(link, first, index);
    return headline;
  }
  return std::nullopt;
}

std::string headline_line(const ReportSection& section, const LinkReport& link) {
  const auto found = headline_of(section, link);
  if (!found) return "";
  const auto& headline = *found;
  const auto target = words_of(headline.target);
  const auto first = fmt::format("{}, {} s [{}]", headline.first, significant(headline.tta_s),
                                 from_to(headline.range_s.low_s, headline.range_s.high_s));
  const auto rivals = rivals_words(headline);
  std::string words;
  if (headline.seeds < 3) {
    words = fmt::format("First of {} methods to {} with {} seed{}, which decide{} nothing: {}",
                        headline.rows, target, headline.seeds, headline.seeds == 1 ? "" : "s",
                        headline.seeds == 1 ? "s" : "", first);
  } else if (rivals.empty()) {
    words = fmt::format("Fastest of {} methods to {}: {}", headline.rows, target, first);
  } else {
    words = fmt::format("No single fastest of {} methods to {}: {}{}", headline.rows, target, first,
                        rivals);
  }
  if (const auto leads = lead_words(headline, link); !leads.empty()) words += "; " + leads;
  const bool bound = std::ranges::any_of(link.rows, &ReportRow::cpu_bound);
  words += fmt::format(" ({}, {}, {} seed{}, {}{}{})", data_words(section.scenario),
                       delay_words(section, link), headline.seeds, headline.seeds == 1 ? "" : "s",
                       links_words(section, link), bound ? ", some rows bound by the CPU" : "",
                       machine_words(link));
  if (headline.left_out == 0) return words;
  return fmt::format(
      "{}; {} row{} not compared: other seeds, skipped or interrupted cells, or suspect links",
      words, headline.left_out, headline.left_out == 1 ? "" : "s");
}

}  // namespace pacbench::report
