#include "analysis/reproduce/admission.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/reproduce/arms.h"
#include "analysis/reproduce/words.h"
#include "contract/catalogue/pruning_ratio.h"
#include "harness/record/verdicts.h"
#include "harness/text/table.h"

namespace pacbench::reproduce {
namespace {

using Reasons = std::vector<Reason>;

/// A target below this share of the final accuracy says little about where training ends.
constexpr double kLeastOfFinal = 0.9;

template <typename Value>
bool is_other(const std::vector<Value>& expected, const Value& found) {
  return !expected.empty() && std::find(expected.begin(), expected.end(), found) == expected.end();
}

template <typename Field>
bool any_has(const std::vector<Workload>& workloads, Field field, const std::string& found) {
  return workloads.empty() ||
         std::any_of(workloads.begin(), workloads.end(),
                     [&](const Workload& each) { return each.*field == found; });
}

void add_workload(const Contrast& contrast, Reasons& reasons) {
  const auto& workloads = contrast.claim.population.workloads;
  const auto& setting = contrast.link.setting;
  const bool is_network = any_has(workloads, &Workload::network, setting.network);
  const bool is_dataset = any_has(workloads, &Workload::dataset, setting.dataset);
  if (!is_network) reasons.push_back({"network", "network " + setting.network});
  if (!is_dataset) reasons.push_back({"dataset", "data set " + setting.dataset});
  if (is_network && is_dataset && is_other(workloads, Workload{setting.network, setting.dataset})) {
    reasons.push_back({"dataset", fmt::format("{} on {}", setting.network, setting.dataset)});
  }
}

/// Adds a reason when a count differs from the claim's, unless the claim's is 0.
void expect(const char* what, int found, int expected, Reasons& reasons) {
  if (expected == 0 || found == expected) return;
  reasons.push_back({"size", fmt::format("{} {}, not {}", found, what, expected)});
}

void add_sizes(const Contrast& contrast, Reasons& reasons) {
  const auto& scenario = contrast.link.section->scenario;
  const auto& population = contrast.claim.population;
  expect("workers", scenario.at("workers"), population.workers, reasons);
  expect("images per worker and step", scenario.at("workload").at("batch_per_worker"),
         population.batch_per_worker, reasons);
}

/// Adds as reasons slow workers, what a link has beyond one rate (such as delay, loss, schedules,
/// loads), and groups of workers unlike the claim's. Adds nothing where the claim names no
/// topology.
void add_link(const Contrast& contrast, Reasons& reasons) {
  const auto& population = contrast.claim.population;
  if (population.topology.empty()) return;
  const auto& link = contrast.link.profile;
  const auto& scenario = contrast.link.section->scenario;
  if (scenario.contains("slow_workers")) reasons.push_back({"link", "slow workers"});
  for (const auto& [key, words] : {std::pair{"schedule", "a link whose rate moves"},
                                   {"overrides", "a link unlike the others"},
                                   {"load", "a competing load"},
                                   {"loss", "lost packets"},
                                   {"reorder", "reordered packets"},
                                   {"up_mbit", "a link with two rates"},
                                   {"delay_ms", "delayed packets"}}) {
    if (link.contains(key)) reasons.push_back({"link", words});
  }
  if (population.groups.is_null()) return;
  const auto groups = link.value(
      "groups", scenario.value(Json::json_pointer{"/network/groups"}, population.groups));
  if (groups != population.groups) reasons.push_back({"link", "groups of " + groups.dump()});
}

void add_rate(const Contrast& contrast, Reasons& reasons) {
  const auto& population = contrast.claim.population;
  const auto& setting = contrast.link.setting;
  if (!is_of_time(contrast.claim.quantity) || !report::is_timed(*contrast.link.section)) return;
  if (is_other(population.rates_mbit, setting.rate_mbit)) {
    reasons.push_back({"rate", fmt::format("{:g} Mbit/s", setting.rate_mbit)});
  }
  if (!population.topology.empty() && setting.topology != population.topology) {
    reasons.push_back({"topology", "topology " + setting.topology});
  }
}

void add_pruning(const Contrast& contrast, Reasons& reasons) {
  const auto ratio = pruning_ratio(contrast.link.method(contrast.own.label));
  const auto& population = contrast.claim.population;
  if (!ratio || population.pruning_ratio == 0) return;
  if (population.lower_ratios_too) {
    if (*ratio > population.pruning_ratio) {
      reasons.push_back(
          {"ratio", fmt::format("ratio {:g}, above {:g}", *ratio, population.pruning_ratio)});
    }
  } else if (*ratio != population.pruning_ratio) {
    reasons.push_back(
        {"ratio", fmt::format("ratio {:g}, not {:g}", *ratio, population.pruning_ratio)});
  }
}

/// Adds that learning started from other weights than the claim's.
void add_start(const Contrast& contrast, Reasons& reasons) {
  const bool is_learned = contrast.claim.quantity == Quantity::kTimeToAccuracy ||
                          contrast.claim.quantity == Quantity::kAccuracyLost;
  if (!is_learned || !contrast.link.has_curve) return;
  if (is_other(contrast.claim.population.starts, contrast.link.setting.start)) {
    reasons.push_back({"start", start_words(contrast.link.setting)});
  }
}

/// Adds that training was shorter than the claim's, stopped at its target, or had no curve: each
/// changes what a final accuracy means.
void add_length(const Contrast& contrast, Reasons& reasons) {
  if (contrast.claim.quantity != Quantity::kAccuracyLost) return;
  const auto expected = contrast.claim.population.iterations;
  const auto found =
      contrast.link.section->scenario.at("workload").at("max_iterations").get<std::int64_t>();
  if (static_cast<double>(found) < 0.99 * static_cast<double>(expected)) {
    reasons.push_back({"length", fmt::format("{} of {} iterations", found, expected)});
  }
  if (contrast.own.stopped_at_target || contrast.base.stopped_at_target) {
    reasons.push_back({"length", "stopped at its target"});
  }
  if (!contrast.link.has_curve) reasons.push_back({"no-curve", "no curve"});
}

void add_seeds(const Contrast& contrast, Reasons& reasons) {
  const auto least = contrast.claim.population.least_seeds;
  const auto found = contrast.own.seeds.size();
  if (found >= least) return;
  reasons.push_back({"seeds", fmt::format("{} of {} seeds", found, least)});
}

void add_target(const Contrast& contrast, Reasons& reasons) {
  const auto& claim = contrast.claim;
  if (claim.quantity != Quantity::kTimeToAccuracy || !contrast.link.has_curve) return;
  const auto* target = contrast.target();
  const auto& asked = claim.population.target;
  if (target == nullptr) {
    reasons.push_back({"target", asked ? fmt::format("no target {:g} %", 100 * *asked)
                                       : "all-reduce (where there is none, the baseline) reached "
                                         "no target"});
  } else if (!asked && contrast.base.final_accuracy) {
    const double share = target->target.value / contrast.base.final_accuracy->median;
    if (share < kLeastOfFinal) {
      reasons.push_back({"target", fmt::format("target at {} % of the baseline's final accuracy",
                                               significant(100 * share))});
    }
  }
}

void add_whole(const report::ReportRow& row, Reasons& reasons) {
  if (row.suspect) reasons.push_back({"suspect", row.label + " is suspect"});
  if (row.failed > 0) {
    reasons.push_back({"failed", fmt::format("failed cells of {}: {}", row.label, row.failed)});
  }
  if (row.done == 0 || row.unfinished > 0) {
    reasons.push_back({"unfinished", row.label + " is not finished"});
  }
}

/// Adds that ranks overslept for too long: such times do not represent the work that was slept
/// through.
void add_late(const report::ReportRow& row, Reasons& reasons) {
  if (!row.late_s || !row.time_per_iteration_s) return;
  const auto step_s = row.time_per_iteration_s->median;
  if (!record::Lateness{row.late_s->maximum, step_s}.too_much()) return;
  reasons.push_back({"late", fmt::format("workers of {} overslept for {} % of a step", row.label,
                                         significant(100 * row.late_s->maximum / step_s))});
}

}  // namespace

std::vector<Reason> why_not_counted(const Contrast& contrast) {
  Reasons reasons;
  add_workload(contrast, reasons);
  add_rate(contrast, reasons);
  add_sizes(contrast, reasons);
  add_link(contrast, reasons);
  add_pruning(contrast, reasons);
  add_start(contrast, reasons);
  add_length(contrast, reasons);
  add_seeds(contrast, reasons);
  add_target(contrast, reasons);
  std::vector<const report::ReportRow*> rows{&contrast.own};
  if (&contrast.base != &contrast.own) rows.push_back(&contrast.base);
  for (const auto* row : rows) {
    add_whole(*row, reasons);
    if (is_of_time(contrast.claim.quantity)) add_late(*row, reasons);
  }
  if (reasons.empty() && !report::comparable(contrast.base, contrast.own)) {
    reasons.push_back({"seeds", "other seeds than " + contrast.base.label});
  }
  return reasons;
}

}  // namespace pacbench::reproduce
