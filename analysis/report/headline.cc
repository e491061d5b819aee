#include "analysis/report/headline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/verdicts.h"
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
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return *a.summary->tta_s.median < *b.summary->tta_s.median;
  });
  return entries;
}

/// The share of the row's time that more cores cannot remove: the time that a step's bytes need at
/// the link's rate. It is 1 where cores do not set the step time. It is 0 where the time of the
/// bytes is unknown, for example because the rate moves.
double share_that_stays(const LinkReport& link, const ReportRow& row) {
  if (!row.cpu_bound) return 1;
  const auto wire_s = least_wire_s(link, row);
  return wire_s ? std::min(1.0, *wire_s / step_time(row)->median) : 0;
}

/// The time of `iterations` median steps and of the most exchanges in them. A method that exchanges
/// once in `every` iterations makes up to ceil(iterations / every) exchanges in them. Each adds
/// `every` × (mean step − median step), at least 0: the median step is taken to have no exchange.
double time_of(const ReportRow& row, std::int64_t iterations) {
  const double median_s = row.time_per_iteration_s->median;
  const auto count = static_cast<double>(iterations);
  if (row.every == 1) return count * median_s;
  const double every = static_cast<double>(row.every);
  const double exchange_s = every * std::max(0.0, row.mean_iteration_s->median - median_s);
  return count * median_s + std::ceil(count / every) * exchange_s;
}

/// Iterations from one evaluation to the next. Absent for a user's own program alone, whose
/// scenario does not say it.
std::optional<std::int64_t> evaluate_every_of(const Json& scenario) {
  if (is_program_alone(scenario)) return std::nullopt;
  return scenario.at("workload").value("evaluate_every", std::int64_t{1});
}

/// The time of the evaluation before the crossing, of a seed that reached the target at `tta_s`. It
/// is 0 where there is none, or none was recorded.
double time_before(const Entry& entry, std::int64_t seed, double tta_s,
                   const std::optional<std::int64_t>& evaluate_every) {
  if (evaluate_every) return tta_s - time_of(*entry.row, *evaluate_every);
  const auto& recorded = entry.summary->evaluated_before_s;
  const auto found = recorded.find(seed);
  return found == recorded.end() ? 0 : found->second;
}

/// Returns for each seed the interval in which its TTA lies. It begins at the evaluation before the
/// crossing, but not below 0.001 × the recorded TTA, and ends at the recorded TTA. Both ends are
/// multiplied by `share`, the part of the time that would remain with more cores
/// (share_that_stays).
std::vector<statistics::Between> times_of(const Entry& entry,
                                          const std::optional<std::int64_t>& evaluate_every,
                                          double share = 1) {
  std::vector<statistics::Between> times;
  for (const auto& [seed, tta_s] : entry.summary->tta_s_of_seeds) {
    const double least_s = *tta_s * 1e-3;  // nothing is known before the first evaluation
    const double before_s = time_before(entry, seed, *tta_s, evaluate_every);
    // Where disturbances were taken off the clock, the time itself has an interval.
    const auto ends = entry.summary->disturbed_tta_s.find(seed);
    const bool is_known = ends == entry.summary->disturbed_tta_s.end();
    const double earlier_s = is_known ? 0 : *tta_s - ends->second.low_s;
    const double later_s = is_known ? 0 : ends->second.high_s - *tta_s;
    times.push_back({share * std::max(before_s - earlier_s, least_s), share * (*tta_s + later_s)});
  }
  return times;
}

Lead lead_over(const LinkReport& link, const Entry& other, const Entry& first,
               const std::optional<std::int64_t>& evaluate_every) {
  const auto own = times_of(first, evaluate_every);
  Lead lead;
  lead.over = other.row->label;
  lead.value = *other.summary->tta_s.median / *first.summary->tta_s.median;
  lead.paired = statistics::paired_ratio(times_of(other, evaluate_every), own);
  // With more cores a cpu-bound row would be faster. Yet it loses where its bytes alone take longer
  // than the whole time of the first row.
  const double share = share_that_stays(link, *other.row);
  const auto with_more_cores =
      share > 0 ? statistics::paired_ratio(times_of(other, evaluate_every, share), own)
                : std::nullopt;
  lead.is_faster = with_more_cores && with_more_cores->low > 1;
  return lead;
}

std::string times_words(const Lead& lead) {
  auto words = fmt::format("{} × as fast as {}", significant(lead.value, 2), lead.over);
  if (lead.paired) {
    words += fmt::format(" ({}–{})", significant(lead.paired->low, 2),
                         significant(lead.paired->high, 2));
  }
  return words;
}

/// Says by how much the first row leads: over the nearest row that it beats, and over the baselines
/// fp16 and all-reduce.
std::string lead_words(const Headline& headline, const LinkReport& link) {
  std::vector<std::string> words;
  std::vector<std::string> said;
  const auto add = [&](const Lead& lead) {
    if (std::find(said.begin(), said.end(), lead.over) != said.end()) return;
    said.push_back(lead.over);
    words.push_back(times_words(lead));
  };
  const auto next = std::find_if(headline.leads.begin(), headline.leads.end(),
                                 [](const Lead& lead) { return lead.is_faster; });
  if (next != headline.leads.end()) add(*next);
  for (const char* method : {"fp16", "all-reduce"}) {
    const auto* baseline = first_of(link.rows, method);
    for (const auto& lead : headline.leads) {
      if (baseline != nullptr && lead.over == baseline->label) add(lead);
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<std::string> tied_with(const Headline& headline) {
  std::vector<std::string> labels;
  for (const auto& lead : headline.leads) {
    if (!lead.is_faster) labels.push_back(lead.over);
  }
  return labels;
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
  if (section.mode == Mode::kSimulate) return kSimulatedWord;
  const bool suspect = std::any_of(link.rows.begin(), link.rows.end(),
                                   [](const ReportRow& row) { return row.suspect; });
  return suspect ? "some links suspect" : "links ok";
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
    return fmt::format(", machine disturbed: others took up to {:.0f} % of its CPUs", 100 * most);
  }
  return is_unknown ? ", disturbances of the machine unknown" : "";
}

/// Says how many rows the sentence is not about.
std::string left_out_words(std::size_t rows) {
  if (rows == 0) return "";
  return fmt::format(
      "; {} row{} not compared: other seeds, skipped or interrupted cells, or suspect "
      "links",
      rows, rows == 1 ? "" : "s");
}

/// The data set's name, or "own program" where the workload is the user's own program.
std::string data_words(const Json& scenario) {
  if (is_program_alone(scenario)) return "own program";
  return scenario.at("workload").at("dataset").at("name");
}

}  // namespace

std::optional<Headline> headline_of(const ReportSection& section, const LinkReport& link) {
  if (!is_timed(section) || link.rows.empty()) return std::nullopt;
  const auto every = evaluate_every_of(section.scenario);
  for (std::size_t index = link.rows.front().targets.size(); index-- > 0;) {
    const auto entries = entries_at(link, index);
    if (entries.size() < 2) continue;
    const auto& first = entries.front();
    Headline headline;
    headline.target = first.summary->target;
    headline.place = index;
    headline.rows = static_cast<std::size_t>(
        std::count_if(link.rows.begin(), link.rows.end(), [&](const ReportRow& row) {
          return row.seeds == first.row->seeds && row.unfinished == 0 && !row.suspect;
        }));
    headline.left_out = link.rows.size() - headline.rows;
    headline.first = first.row->label;
    headline.tta_s = *first.summary->tta_s.median;
    headline.seeds = first.row->seeds.size();
    const auto times = times_of(first, every);
    headline.range_s = {times.front().from_s, times.front().until_s};
    for (const auto& time : times) {
      headline.range_s.low_s = std::min(headline.range_s.low_s, time.from_s);
      headline.range_s.high_s = std::max(headline.range_s.high_s, time.until_s);
    }
    for (std::size_t i = 1; i < entries.size(); ++i) {
      headline.leads.push_back(lead_over(link, entries[i], first, every));
    }
    return headline;
  }
  return std::nullopt;
}

std::string headline_words(const Headline& headline, const ReportSection& section,
                           const LinkReport& link) {
  const auto target = words_of(headline.target);
  const auto first =
      fmt::format("{}, {} s [{}–{}]", headline.first, significant(headline.tta_s),
                  significant(headline.range_s.low_s), significant(headline.range_s.high_s));
  const auto tied = tied_with(headline);
  std::string words;
  if (headline.seeds < 3) {
    words = fmt::format("First of {} methods to {} with {} seed{}, which decide{} nothing: {}",
                        headline.rows, target, headline.seeds, headline.seeds == 1 ? "" : "s",
                        headline.seeds == 1 ? "s" : "", first);
  } else if (tied.empty()) {
    words = fmt::format("Fastest of {} methods to {}: {}", headline.rows, target, first);
  } else {
    words = fmt::format("No single fastest of {} methods to {}: {} ties with {}", headline.rows,
                        target, first, fmt::join(tied, ", "));
  }
  if (const auto leads = lead_words(headline, link); !leads.empty()) words += "; " + leads;
  const bool bound = std::any_of(link.rows.begin(), link.rows.end(),
                                 [](const ReportRow& row) { return row.cpu_bound; });
  return fmt::format("{} ({}, {}, {} seed{}, {}{}{})", words, data_words(section.scenario),
                     delay_words(section, link), headline.seeds, headline.seeds == 1 ? "" : "s",
                     links_words(section, link), bound ? ", some rows bound by the CPU" : "",
                     machine_words(link)) +
         left_out_words(headline.left_out);
}

std::string headline_line(const ReportSection& section, const LinkReport& link) {
  const auto headline = headline_of(section, link);
  return headline ? headline_words(*headline, section, link) : "";
}

}  // namespace pacbench::report
