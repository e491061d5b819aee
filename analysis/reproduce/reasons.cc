#include "analysis/reproduce/reasons.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/reproduce/profiled.h"
#include "analysis/reproduce/verdict.h"
#include "harness/text/table.h"

namespace pacbench::reproduce {
namespace {

constexpr double kNotableShare = 0.05;

using Rule = std::optional<Reason> (*)(const Contrast&, const Evidence&);

/// Whether a value is too small for the claim; never for a claim that is a bound from above.
bool is_short_of(const Claim& claim, double value) {
  const double slack = claim.form == Form::kAtLeast ? 1 : kTolerance;
  return claim.form != Form::kAtMost && value * slack < claim.value;
}

/// The reason that the ratio of bytes is too small for the claim. Only against a ring do the words
/// give this ratio as a bound on steps: an all-gather may wait longer at a trunk.
std::optional<Reason> bytes(const Contrast& contrast, const Evidence&) {
  const auto ratio = bytes_ratio(contrast);
  if (!is_of_time(contrast.claim.quantity) || !ratio || !is_short_of(contrast.claim, *ratio))
    return {};
  auto words = *ratio < 1 ? fmt::format("it sends {} times the bytes of {}",
                                        significant(1 / *ratio), contrast.base.label)
                          : fmt::format("it sends 1/{} of the bytes of {}", significant(*ratio),
                                        contrast.base.label);
  if (has_ring_base(contrast)) {
    words += fmt::format(", so with equally full links no step is more than {} times as fast",
                         significant(*ratio));
  }
  return Reason{"bytes", std::move(words)};
}

std::optional<Reason> no_curve(const Contrast& contrast, const Evidence& evidence) {
  if (contrast.claim.quantity != Quantity::kTimeToAccuracy || evidence.value) return {};
  if (evidence.step && evidence.has_curve) return {};  // the curve misses the target
  if (!evidence.step) {
    return Reason{"no-times", "nothing was timed, so there is no time to accuracy"};
  }
  return Reason{
      "no-curve",
      fmt::format("no curve: a step is {0} times as fast as one of {1}; to be {2:g} times as "
                  "fast to the target, it would need {3} times the iterations of {1}",
                  significant(*evidence.step), contrast.base.label, contrast.claim.value,
                  significant(*evidence.step / contrast.claim.value))};
}

std::optional<Reason> iterations(const Contrast& contrast, const Evidence&) {
  const auto ratio = iterations_ratio(contrast);
  if (contrast.claim.quantity != Quantity::kTimeToAccuracy || !ratio) return {};
  if (*ratio < 1.05 && *ratio > 1 / 1.05) return {};
  return Reason{*ratio < 1 ? "more-iterations" : "fewer-iterations",
                fmt::format("it needs {:g} iterations to the target where {} needs {:g}",
                            *contrast.target()->iterations.median, contrast.base.label,
                            *contrast.base_target()->iterations.median)};
}

std::optional<Reason> never(const Contrast& contrast, const Evidence& evidence) {
  if (contrast.claim.quantity != Quantity::kTimeToAccuracy || !evidence.value) return {};
  const bool own = *evidence.value == 0;
  if (!own && std::isfinite(*evidence.value)) return {};
  return Reason{"never", fmt::format("{} did not reach the target",
                                     own ? contrast.own.label : contrast.base.label)};
}

/// The share of a step that some work takes. Where workers slept instead of working, it is from the
/// time that they were to sleep (`slept_s`). Elsewhere it is the `measured` share, which may be
/// absent.
std::optional<double> share_of_step(const Contrast& contrast, const std::optional<double>& slept_s,
                                    const std::optional<statistics::Spread>& measured) {
  const auto& step_s = contrast.own.time_per_iteration_s;
  if (slept_s && step_s && step_s->median > 0) return *slept_s / step_s->median;
  return measured ? std::optional{measured->median} : std::nullopt;
}

std::optional<Reason> share_reason(const Contrast& contrast, const char* kind,
                                   const std::optional<double>& share, const char* words) {
  if (!is_of_time(contrast.claim.quantity) || !share || *share < kNotableShare) return {};
  return Reason{kind, fmt::format("{} % of its step {}", significant(100 * *share), words)};
}

std::optional<Reason> compute(const Contrast& contrast, const Evidence&) {
  const auto share =
      share_of_step(contrast, profiled_compute_s(contrast.link), contrast.own.compute_share);
  return share_reason(contrast, "compute", share,
                      "is forward and backward, which no method shortens");
}

std::optional<Reason> encode(const Contrast& contrast, const Evidence&) {
  const auto share = share_of_step(contrast, profiled_encode_s(contrast.link, contrast.own.label),
                                   contrast.own.encode_share);
  return share_reason(contrast, "encode", share,
                      "goes into encoding and decoding, part of it beside backward");
}

std::optional<Reason> beyond_steps(const Contrast& contrast, const Evidence& evidence) {
  if (contrast.claim.quantity != Quantity::kTimeToAccuracy || !evidence.value) return {};
  const auto* target = contrast.target();
  const auto& beyond = target->beyond_s.median;
  const auto& whole = target->tta_s.median;
  if (!beyond || !whole || *beyond < 2 * kNotableShare * *whole) return {};
  return Reason{"beyond-steps", fmt::format("{} of its {} s to the target go to pruning, agreement "
                                            "on masks, and what steps took longer than the median "
                                            "step",
                                            significant(*beyond), significant(*whole))};
}

/// Explains a time by this: the method's bytes fill less of the link's rate than the baseline's do.
/// The cause may be that many flows share a trunk, or that there are many small messages.
std::optional<Reason> link_use(const Contrast& contrast, const Evidence&) {
  const auto& own = contrast.own.link_use;
  const auto& base = contrast.base.link_use;
  if (!is_of_time(contrast.claim.quantity) || !own || !base || own->median > 0.9 * base->median)
    return {};
  return Reason{"link-use", fmt::format("while it exchanges, its bytes fill {} % of the link's "
                                        "rate, those of {} fill {} %",
                                        significant(100 * own->median), contrast.base.label,
                                        significant(100 * base->median))};
}

std::optional<Reason> base_link_use(const Contrast& contrast, const Evidence&) {
  const auto& own = contrast.own.link_use;
  const auto& base = contrast.base.link_use;
  if (!is_of_time(contrast.claim.quantity) || !own || !base || base->median > 0.9 * own->median)
    return {};
  return Reason{"baseline-link-use",
                fmt::format("while {} exchanges, its bytes fill {} % of the link's rate, those of "
                            "this arm fill {} %: the baseline is slower than its bytes explain",
                            contrast.base.label, significant(100 * base->median),
                            significant(100 * own->median))};
}

std::optional<Reason> cpu_bound(const Contrast& contrast, const Evidence& evidence) {
  if (!is_of_time(contrast.claim.quantity) || !evidence.cpu_bound) return {};
  return Reason{"cpu-bound",
                "computing on this host, not the link, set the step time of the arm or of "
                "its baseline"};
}

std::optional<Reason> final_accuracy(const Contrast& contrast, const Evidence& evidence) {
  if (contrast.claim.quantity != Quantity::kAccuracyLost || !evidence.value) return {};
  return Reason{"accuracy",
                fmt::format("it ends at {:.2f} %, {} at {:.2f} % (medians)",
                            100 * contrast.own.final_accuracy->median, contrast.base.label,
                            100 * contrast.base.final_accuracy->median)};
}

std::optional<Reason> traffic(const Contrast& contrast, const Evidence& evidence) {
  if (contrast.claim.quantity != Quantity::kRingTraffic || !evidence.value) return {};
  if (!contrast.own.payload_bytes_per_iteration || !contrast.own.measured_bytes_per_iteration)
    return {};
  return Reason{
      "traffic",
      fmt::format("{} MB handed to collectives become {} MB counted on the link, per step",
                  significant(1e-6 * contrast.own.payload_bytes_per_iteration->median),
                  significant(1e-6 * contrast.own.measured_bytes_per_iteration->median))};
}

}  // namespace

std::vector<Reason> reasons_of(const Contrast& contrast, const Evidence& evidence) {
  constexpr Rule kRules[] = {never,     bytes,        no_curve, iterations,
                             compute,   encode,       link_use, base_link_use,
                             cpu_bound, beyond_steps, traffic,  final_accuracy};
  std::vector<Reason> reasons;
  for (const auto rule : kRules) {
    if (auto reason = rule(contrast, evidence)) reasons.push_back(std::move(*reason));
  }
  return reasons;
}

}  // namespace pacbench::reproduce
