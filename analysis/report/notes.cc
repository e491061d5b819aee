#include "analysis/report/build.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "contract/catalogue/catalogue.h"
#include "contract/scenario/worker_speed.h"
#include "harness/text/table.h"

namespace pacbench::report {
namespace {

using Cells = std::vector<const CellResult*>;

void add_not_done(const Cells& cells, std::vector<std::string>& notes) {
  for (const auto* cell : cells) {
    if (cell->status == CellStatus::kDone) continue;
    notes.push_back(fmt::format("seed {} {}: {}{}", cell->seed, word_of(cell->status),
                                cell->reason.empty() ? "no reason was recorded" : cell->reason,
                                cell->status == CellStatus::kFailed ? " (counts as DNF)" : ""));
  }
}

/// Adds one note on a verdict that is not "ok" for some seeds: these seeds, and the reasons of the
/// first such cell in full.
void add_verdict(const Cells& cells,
                 const std::function<const Verdict*(const CellResult&)>& verdict_of,
                 const char* meaning, std::vector<std::string>& notes) {
  std::vector<std::int64_t> seeds;
  const Verdict* first = nullptr;
  for (const auto* cell : cells) {
    const auto* verdict = verdict_of(*cell);
    if (verdict == nullptr || verdict->word == "ok") continue;
    seeds.push_back(cell->seed);
    if (first == nullptr) first = verdict;
  }
  if (first == nullptr) return;
  std::ranges::sort(seeds);
  notes.push_back(fmt::format("{} (seed {}): {}; {}", first->word, fmt::join(seeds, ", "), meaning,
                              fmt::join(first->reasons, "; ")));
}

/// Names the targets that programs reached in their last evaluations.
void add_unconfirmed(const Cells& cells, std::vector<std::string>& notes) {
  for (const auto* cell : cells) {
    for (const auto& target : cell->targets) {
      if (!target.unconfirmed) continue;
      notes.push_back(
          fmt::format("seed {}: the program ended with the evaluation that reached {} {:g}, so "
                      "nothing confirms that it stays there",
                      cell->seed, target.target.metric, target.target.value));
    }
  }
}

void add_pruning(const Cells& cells, bool timed, std::vector<std::string>& parts) {
  std::vector<double> times;
  std::vector<double> kept;
  for (const auto* cell : cells) {
    if (cell->status != CellStatus::kDone || cell->kept_fraction >= 1) continue;
    times.push_back(cell->pruning_s);
    kept.push_back(cell->kept_fraction);
  }
  if (times.empty()) return;
  const auto took = timed ? fmt::format("pruning took {} s, on the training clock; ",
                                        significant(statistics::median(times)))
                          : "";
  parts.push_back(fmt::format("{}{} % of prunable weights kept", took,
                              significant(100 * statistics::median(kept))));
}

void add_masks(const ReportRow& row, std::vector<std::string>& parts) {
  if (row.dense_share && row.dense_share->median > 0) {
    const auto from = row.compacted_from
                          ? fmt::format("all buckets were first compacted in iteration {:.0f}",
                                        row.compacted_from->median)
                          : std::string{"no iteration had all buckets compacted"};
    parts.push_back(fmt::format("{}; {} % of exchanges were dense, because no mask was agreed",
                                from, significant(100 * row.dense_share->median)));
  }
  if (row.mask_overlap && row.kept_fraction) {
    const double kept = row.kept_fraction->median;
    parts.push_back(fmt::format(
        "masks of two seeds share {:.2f} of the weights that either keeps (random masks: "
        "{:.2f})",
        *row.mask_overlap, kept / (2 - kept)));
  }
}

void add_runs(const ReportRow& row, std::vector<std::string>& notes) {
  if (!row.time_of_runs_s) return;
  auto note =
      fmt::format("{} runs took {}–{} s an iteration; the run in the middle is shown", row.runs,
                  significant(row.time_of_runs_s->low_s), significant(row.time_of_runs_s->high_s));
  if (const auto& steps = row.time_of_steps_s) {
    note += fmt::format("; 95 % interval from the scatter of its steps: {}–{} s",
                        significant(steps->low_s), significant(steps->high_s));
  }
  notes.push_back(std::move(note));
}

std::string break_even(const ReportRow& row, const ReportRow& base) {
  const double spent_s = row.overhead_s->median - base.overhead_s->median;
  const double gain_s = base.time_per_iteration_s->median - row.time_per_iteration_s->median;
  if (gain_s <= 0) return fmt::format("against {} never", base.label);
  return fmt::format("against {} after {:.0f} iterations", base.label,
                     std::ceil(std::max(0.0, spent_s) / gain_s));
}

}  // namespace

std::vector<std::string> row_notes(const std::vector<const CellResult*>& cells,
                                   const ReportRow& row, bool timed) {
  std::vector<std::string> notes;
  add_not_done(cells, notes);
  add_unconfirmed(cells, notes);
  add_verdict(
      cells, [](const CellResult& cell) { return &cell.link_verdict; },
      "the network was not as declared, so no speed-up uses this row", notes);
  add_verdict(
      cells,
      [](const CellResult& cell) {
        return cell.machine_verdict ? &*cell.machine_verdict : nullptr;
      },
      "others took this machine away for a while, or nobody could see whether they did", notes);
  add_verdict(
      cells, [](const CellResult& cell) { return &cell.host_verdict; },
      "computing on this host, not the link, set the step time", notes);
  add_runs(row, notes);
  std::vector<std::string> of_pruning;
  add_pruning(cells, timed, of_pruning);
  add_masks(row, of_pruning);
  if (!of_pruning.empty()) notes.push_back(fmt::format("{}", fmt::join(of_pruning, "; ")));
  return notes;
}

void add_break_even_notes(std::vector<ReportRow>& rows) {
  for (auto& row : rows) {
    const bool prunes = row.kept_fraction && row.kept_fraction->median < 1;
    if (!prunes || row.notes.empty() || !row.overhead_s || !row.time_per_iteration_s) continue;
    // When many exchanges are dense, the median step may be dense too. It then says nothing about
    // the compacted ones.
    if (row.dense_share && row.dense_share->median > 0.3) continue;
    std::vector<std::string> answers;
    for (const auto* baseline : {"all-reduce", "fp16"}) {
      const auto* base = first_of(rows, baseline);
      if (base != nullptr && comparable(*base, row)) answers.push_back(break_even(row, *base));
    }
    if (answers.empty()) continue;
    row.notes.back() += fmt::format(
        "; {} s of its time are beyond median steps; the excess over the baseline's is "
        "won back {}",
        significant(row.overhead_s->median), fmt::join(answers, ", "));
  }
}

namespace {

bool replays_exchanges(const ReportSection& section) {
  return section.scenario.at("compose").value("exchange", "here") == "profile";
}

/// Whether some row prunes, and whether the clock includes pruning. In runs of an earlier pacbench
/// it may not.
struct Pruning {
  bool any = false;
  bool is_on_clock = true;
};

Pruning pruning_of(const ReportSection& section) {
  Pruning pruning;
  for (const auto& method : section.scenario.at("methods")) {
    if (pruning_ratio(method).value_or(0) == 0) continue;
    for (const auto& link : section.links) {
      for (const auto& row : link.rows) {
        if (row.label != method.at("label") || !row.kept_fraction) continue;
        pruning.any = true;
        pruning.is_on_clock &= row.kept_fraction->median < 1;
      }
    }
  }
  return pruning;
}

std::string pruning_words(const ReportSection& section, const Json& profile) {
  const auto pruning = pruning_of(section);
  if (!pruning.any || !has_curve(section.scenario)) return "no iteration includes pruning";
  if (!pruning.is_on_clock) return "no time includes pruning";
  if (const Json::json_pointer factor{"/assumption/compute_factor"}; profile.contains(factor)) {
    return fmt::format(
        "pruning takes as long as in the run that gave the curves × {:.3g}, the assumed factor of "
        "computing",
        profile.at(factor).get<double>());
  }
  return "pruning takes as long as on the CPU of the run that gave the curves";
}

/// Says how much shorter replayed times were than emulated ones, where both were measured. The
/// numbers are those of docs/fidelity/compose.md, "Exchanges replayed".
std::string replay_note(const ReportSection& section) {
  const auto pruning = pruning_of(section);
  return fmt::format(
      "replayed exchanges make times shorter than emulated ones, since workers share no cores and "
      "dense iterations take no time to encode. {} (docs/fidelity/compose.md)",
      pruning.any && !pruning.is_on_clock
          ? "Without the time of pruning, PacTrain's replayed times to accuracy with ResNet-20 "
            "were 0.89 to 0.95 times the emulated ones with float32 values, and 0.80 to 0.86 "
            "times with ternary digits"
          : "With the time of pruning, PacTrain's replayed times to accuracy were 0.94 to 1.03 "
            "times the emulated ones, and those of top-k, whose steps took 20 to 150 ms, 0.53 to "
            "1.05 times");
}

/// Says what carried the packets: shaped links, or measured ones, which are used as they are.
std::string kind_of_links(const Json& scenario) {
  const auto& links = scenario.at("network").at("links");
  const auto measured = std::count_if(
      links.begin(), links.end(), [](const Json& link) { return link.value("measured", false); });
  if (measured == 0) return "shaped links";
  const std::string own = "the hosts' own links, which were not shaped";
  return measured == std::ssize(links) ? own : "shaped links, and over " + own;
}

std::string compose_note(const ReportSection& section) {
  const auto& compose = section.scenario.at("compose");
  const auto& profile = compose.at("profile");
  auto note = fmt::format(
      "mode compose: real exchanges over {}. Workers slept in place of computing, for as long as a "
      "profile of {} says ({} times). ",
      kind_of_links(section.scenario), profile.at("hardware").get<std::string>(),
      profile.at("source").get<std::string>());
  if (replays_exchanges(section)) {
    note += fmt::format(
        "They also slept in place of encoding and decoding, for the times of one worker that was "
        "alone, in a typical iteration. A dense iteration adds only the time of its further bytes; "
        "{}. ",
        pruning_words(section, profile));
    if (const Json::json_pointer rate{"/assumption/memory_gb_per_s"}; profile.contains(rate)) {
      note += fmt::format("Times of encoding assume memory of {:g} GB/s. ",
                          profile.at(rate).get<double>());
    }
  }
  const auto curve = compose.value("curve", "");
  return note + (curve.empty() ? "No learning curve" : fmt::format("Learning curves of {}", curve));
}

/// Whether docs/fidelity/simulated.md sets an aim for simulations of as many workers over such
/// links.
bool is_in_validated_range(const Json& scenario) {
  constexpr int kMostWorkers = 8;
  const auto& network = scenario.at("network");
  const auto is_validated = [](const Json& layout) {
    const auto topology = layout.value("topology", "star");
    return topology == "star" || topology == "chain3";
  };
  if (scenario.at("workers") > kMostWorkers || !is_validated(network)) return false;
  const auto& links = network.at("links");
  return std::all_of(links.begin(), links.end(), is_validated);
}

std::string simulate_note(const ReportSection& section) {
  const auto& profile = section.scenario.at("/compose/profile"_json_pointer);
  return fmt::format(
      "mode simulate: no training process and no link were used. Each method's calls and computing "
      "times are those that a profile of {} recorded ({}). Each message is sent as Gloo sends it. "
      "Simulations were judged by real exchanges of 2 to 8 workers over star and chain3 "
      "(docs/fidelity/simulated.md){}",
      profile.at("hardware").get<std::string>(), profile.at("source").get<std::string>(),
      is_in_validated_range(section.scenario)
          ? ""
          : "; these workers or links are outside of this range: an extrapolation");
}

}  // namespace

std::vector<std::string> section_notes(const ReportSection& section) {
  std::vector<std::string> notes;
  if (section.scenario.contains("worker_speed")) {
    const auto speed = section.scenario["worker_speed"].get<WorkerSpeed>();
    notes.push_back(fmt::format(
        "workers computed {} (worker_speed){}",
        speed.compute_ms > 0 ? fmt::format("forward and backward in {:g} ms", speed.compute_ms)
                             : fmt::format("{:g} × as fast as {}", speed.times,
                                           trains(section) ? "a core of this machine in forward "
                                                             "and backward"
                                                           : "the profile says"),
        trains(section) ? "; the optimiser ran on such a core" : ""));
  }
  if (section.scenario.contains("encode_speed")) {
    notes.push_back(fmt::format(
        "workers encoded and decoded {:g} × as fast as a core of this machine (encode_speed)",
        section.scenario["encode_speed"].get<double>()));
  }
  for (const auto& slow : section.scenario.value("slow_workers", Json::array())) {
    std::vector<std::string> ways;
    if (const double factor = slow.value("compute_factor", 1.0); factor != 1) {
      ways.push_back(fmt::format("its forward and backward took {:g} times as long", factor));
    }
    if (slow.contains("start_delay_s")) {
      ways.push_back(
          fmt::format("it began {:g} s after the others", slow["start_delay_s"].get<double>()));
    }
    if (ways.empty()) continue;
    notes.push_back(fmt::format("worker {} was slowed down on purpose: {} (slow_workers)",
                                slow.at("worker").get<int>(), fmt::join(ways, ", ")));
  }
  if (trains(section) && has_network(section)) {
    notes.push_back(fmt::format("mode emulate: real training processes, real packets over {}",
                                kind_of_links(section.scenario)));
  } else if (!runs_workers(section)) {
    notes.push_back(simulate_note(section));
  } else if (!has_network(section)) {
    notes.emplace_back("mode learn: learning curves only, nothing was timed");
  } else {
    notes.push_back(compose_note(section));
    if (replays_exchanges(section)) notes.push_back(replay_note(section));
  }
  if (section.pretrain_s && has_network(section)) {
    notes.push_back(
        fmt::format("pre-training took {} s (median of the seeds) before the clock started, once "
                    "for all methods of a seed; add this time to a time to accuracy for the time "
                    "with pre-training",
                    significant(section.pretrain_s->median)));
  }
  return notes;
}

}  // namespace pacbench::report
