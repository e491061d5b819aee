#include "analysis/reproduce/evidence.h"

#include <algorithm>

#include "analysis/reproduce/admission.h"
#include "analysis/reproduce/arms.h"
#include "analysis/reproduce/contrast.h"
#include "analysis/reproduce/reasons.h"
#include "contract/catalogue/pruning_ratio.h"

namespace pacbench::reproduce {
namespace {

bool is_among(const std::vector<std::string>& kinds, const std::string& kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// The first row of each of the claim's kinds of baseline.
std::vector<const report::ReportRow*> baselines(const Claim& claim, const Claims& claims,
                                                const MeasuredLink& link) {
  std::vector<const report::ReportRow*> found;
  for (const auto& kind : claim.baselines) {
    const auto row = std::find_if(link.link->rows.begin(), link.link->rows.end(),
                                  [&](const report::ReportRow& each) {
                                    return claims.kind_of(link.method(each.label)) == kind;
                                  });
    if (row != link.link->rows.end()) found.push_back(&*row);
  }
  return found;
}

/// The values of a contrast where computing was assumed to be slower or faster.
std::vector<double> at_other_speeds(const Contrast& contrast,
                                    const std::vector<MeasuredLink>& links) {
  std::vector<double> values;
  if (!is_of_time(contrast.claim.quantity)) return values;
  for (const auto place : contrast.link.speeds) {
    const auto& rows = links[place].link->rows;
    const auto row = [&](const std::string& label) {
      return std::find_if(rows.begin(), rows.end(),
                          [&](const report::ReportRow& each) { return each.label == label; });
    };
    const auto own = row(contrast.own.label);
    const auto base = row(contrast.base.label);
    if (own == rows.end() || base == rows.end() || !report::comparable(*base, *own)) continue;
    const Contrast other{contrast.claim, links[place], *own, *base};
    auto value = measured_quantity(other);
    if (!value && contrast.claim.quantity == Quantity::kTimeToAccuracy) value = step_ratio(other);
    if (value) values.push_back(value->value);
  }
  return values;
}

void fill_numbers(const Contrast& contrast, Evidence& evidence) {
  if (const auto measured = measured_quantity(contrast)) {
    evidence.value = measured->value;
    evidence.range = measured->range;
    evidence.interval = measured->interval;
    evidence.is_of_steps = measured->is_of_steps;
    evidence.of_runs = measured->of_runs;
  }
  if (is_of_time(contrast.claim.quantity)) evidence.by_bytes = bytes_ratio(contrast);
  if (contrast.claim.quantity != Quantity::kTimeToAccuracy) return;
  if (const auto* target = contrast.target()) evidence.target = target->target.value;
  if (const auto step = step_ratio(contrast)) {
    evidence.step = step->value;
    if (!evidence.value) {
      evidence.range = step->range;
      evidence.interval = step->interval;
      evidence.is_of_steps = step->is_of_steps;
      evidence.of_runs = step->of_runs;
    }
  }
  if (!evidence.value) evidence.limit = time_ratio_limit(contrast);
}

Evidence evidence_from(const Contrast& contrast, const Claims& claims,
                       const std::vector<MeasuredLink>& links) {
  const auto& [claim, link, own, base] = contrast;
  const auto& method = link.method(own.label);
  const bool is_held_against = !claim.baselines.empty();
  Evidence evidence;
  evidence.label = own.label;
  evidence.kind = claims.kind_of(method);
  const bool any_setting = claim.population.tuned_for_each_workload && is_tuned(method);
  evidence.identity =
      any_setting ? evidence.kind : arm_identity(method, claim.population.lower_ratios_too);
  if (is_held_against) {
    evidence.against = base.label;
    evidence.against_kind = claims.kind_of(link.method(base.label));
  }
  evidence.setting = link.setting;
  evidence.has_curve = link.has_curve;
  evidence.ratio = pruning_ratio(method);
  evidence.seeds = own.seeds.size();
  evidence.suspect = own.suspect || (is_held_against && base.suspect);
  evidence.cpu_bound = own.cpu_bound || (is_held_against && base.cpu_bound);
  evidence.not_counted = why_not_counted(contrast);
  fill_numbers(contrast, evidence);
  evidence.speeds = at_other_speeds(contrast, links);
  evidence.reasons = reasons_of(contrast, evidence);
  return evidence;
}

/// Whether `value`, `step` and `limit` are all absent because the run measured no times (mode
/// learn) or has no curve.
bool says_nothing(const Evidence& evidence) {
  const bool is_half = evidence.setting.mode == Mode::kLearn || !evidence.has_curve;
  return is_half && !evidence.value && !evidence.step && !evidence.limit;
}

}  // namespace

std::vector<Evidence> evidence_of(const Claim& claim, const Claims& claims,
                                  const std::vector<MeasuredLink>& links, std::size_t place) {
  const auto& link = links[place];
  std::vector<Evidence> found;
  if (link.is_speed) return found;
  const auto bases = baselines(claim, claims, link);
  for (const auto& row : link.link->rows) {
    const auto kind = claims.kind_of(link.method(row.label));
    if (!is_among(claim.arms, kind) && !is_among(claim.beside, kind)) continue;
    if (claim.baselines.empty()) {
      found.push_back(evidence_from({claim, link, row, row}, claims, links));
    }
    for (const auto* base : bases) {
      if (base != &row) found.push_back(evidence_from({claim, link, row, *base}, claims, links));
    }
  }
  std::erase_if(found, says_nothing);
  for (auto& evidence : found) evidence.place = place;
  return found;
}

}  // namespace pacbench::reproduce
