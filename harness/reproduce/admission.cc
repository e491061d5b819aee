#include "harness/reproduce/admission.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/cell/verdicts.h"
#include "harness/reproduce/arms.h"
#include "harness/table.h"

namespace pacbench::reproduce {
namespace {

using Reasons = std::vector<std::string>;

/// A target that all-reduce passes early says little of where training ends.
constexpr double kLeastOfFinal = 0.9;

template <typename Value>
bool is_other(const std::vector<Value>& expected, const Value& found) {
  return !expected.empty() && std::find(expected.begin(), expected.end(), found) == expected.end();
}

void add_setting(const Contrast& contrast, Reasons& reasons) {
  const auto& [claim, link, own, base] = contrast;
  const auto& setting = link.setting;
  if (is_other(claim.networks, setting.network)) reasons.push_back("network " + setting.network);
  if (is_other(claim.datasets, setting.dataset)) reasons.push_back("data set " + setting.dataset);
  if (claim.quantity == Quantity::kRingTraffic) return;
  if (is_of_time(claim.quantity) && report::is_timed(*link.section)) {
    if (is_other(claim.rates_mbit, setting.rate_mbit)) {
      reasons.push_back(fmt::format("{:g} Mbit/s", setting.rate_mbit));
    }
    if (setting.topology != PaperSetting::kTopology) reasons.push_back(setting.topology);
  }
  reasons.insert(reasons.end(), link.oddities.begin(), link.oddities.end());
}

void add_pruning(const Contrast& contrast, Reasons& reasons) {
  const auto ratio = pruning_ratio(contrast.link.method(contrast.own.label));
  if (!ratio || contrast.claim.quantity == Quantity::kRingTraffic) return;
  if (contrast.claim.quantity != Quantity::kAccuracyLost) {
    if (*ratio != PaperSetting::kPruningRatio) {
      reasons.push_back(fmt::format("ratio {:g}, not {:g}", *ratio, PaperSetting::kPruningRatio));
    }
  } else if (*ratio > PaperSetting::kHighestRatio) {
    reasons.push_back(fmt::format("ratio {:g}, above {:g}", *ratio, PaperSetting::kHighestRatio));
  }
}

/// What is learned depends on the weights that it started from and on those that went. The paper
/// prunes a pre-trained model by GraSP (III-D), or by magnitude (III-B).
void add_learning(const Contrast& contrast, Reasons& reasons) {
  const bool is_learned = contrast.claim.quantity == Quantity::kTimeToAccuracy ||
                          contrast.claim.quantity == Quantity::kAccuracyLost;
  if (!is_learned || !contrast.link.has_curve) return;
  if (contrast.link.setting.start == "random") reasons.emplace_back("from random weights");
  const auto& method = contrast.link.method(contrast.own.label);
  if (method.value("score", "") == "random") reasons.emplace_back("pruned at random");
}

/// Accuracy at the end is one number when training was shorter, and another when it stopped early.
void add_length(const Contrast& contrast, Reasons& reasons) {
  if (contrast.claim.quantity != Quantity::kAccuracyLost) return;
  // An epoch of another data set is another number of images.
  if (is_other(contrast.claim.datasets, contrast.link.setting.dataset)) return;
  const auto& scenario = contrast.link.section->scenario;
  const auto& workload = scenario.at("workload");
  const double epochs =
      workload.at("max_iterations").get<double>() * scenario.at("workers").get<double>() *
      workload.at("batch_per_worker").get<double>() / PaperSetting::kTrainingImages;
  if (epochs < 0.99 * PaperSetting::kEpochs) {
    reasons.push_back(fmt::format("{} of {} epochs", significant(epochs), PaperSetting::kEpochs));
  }
  if (contrast.own.stopped_at_target || contrast.base.stopped_at_target) {
    reasons.emplace_back("stopped at its target");
  }
  if (!contrast.link.has_curve) reasons.emplace_back("no curve");
}

void add_target(const Contrast& contrast, Reasons& reasons) {
  const auto& claim = contrast.claim;
  if (claim.quantity != Quantity::kTimeToAccuracy || !contrast.link.has_curve) return;
  const auto* target = contrast.target();
  if (target == nullptr) {
    reasons.push_back(claim.target ? fmt::format("no target {:g} %", 100 * *claim.target)
                                   : "all-reduce reached no target");
  } else if (!claim.target && contrast.base.final_accuracy) {
    const double share = target->target.value / contrast.base.final_accuracy->median;
    if (share < kLeastOfFinal) {
      reasons.push_back(
          fmt::format("target at {} % of the baseline's final accuracy", significant(100 * share)));
    }
  }
}

void add_whole(const report::ReportRow& row, Reasons& reasons) {
  if (row.suspect) reasons.push_back(row.label + " is suspect");
  if (row.failed > 0) reasons.push_back(fmt::format("{} of {} failed", row.failed, row.label));
  if (row.done == 0 || row.unfinished > 0) reasons.push_back(row.label + " is not finished");
}

/// Times in which ranks overslept that much are no times of the work that they slept for.
void add_late(const report::ReportRow& row, Reasons& reasons) {
  if (!row.late_s || !row.time_per_iteration_s) return;
  const auto step_s = row.time_per_iteration_s->median;
  if (!cell::Lateness{row.late_s->maximum, step_s}.too_much()) return;
  reasons.push_back(fmt::format("workers of {} overslept for {} % of a step", row.label,
                                significant(100 * row.late_s->maximum / step_s)));
}

}  // namespace

std::string why_not_counted(const Contrast& contrast) {
  Reasons reasons;
  add_setting(contrast, reasons);
  add_pruning(contrast, reasons);
  add_learning(contrast, reasons);
  add_length(contrast, reasons);
  add_target(contrast, reasons);
  std::vector<const report::ReportRow*> rows{&contrast.own};
  if (&contrast.base != &contrast.own) rows.push_back(&contrast.base);
  for (const auto* row : rows) {
    add_whole(*row, reasons);
    if (is_of_time(contrast.claim.quantity)) add_late(*row, reasons);
  }
  if (reasons.empty() && !report::comparable(contrast.base, contrast.own)) {
    reasons.push_back("other seeds than " + contrast.base.label);
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace pacbench::reproduce
