#include "analysis/reproduce/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "analysis/reproduce/needs.h"

namespace pacbench::reproduce {
namespace {

bool agrees(double value, double paper) {
  return value * kTolerance >= paper && value <= paper * kTolerance;
}

bool holds(const std::optional<report::SpeedUpEnds>& interval, double paper) {
  return interval && interval->low.value_or(0) <= paper &&
         paper <= interval->high.value_or(std::numeric_limits<double>::infinity());
}

bool is_bound(const Claim& claim) {
  return claim.form == Form::kAtLeast || claim.form == Form::kAtMost;
}

/// The evidence that an arm is judged by: the best for each need, and evidence that counts but
/// answers no need (such as other pruning ratios).
struct Considered {
  std::vector<std::size_t> places;
  std::size_t needed = 0;
  std::size_t measured = 0;
};

Considered consider(const Claim& claim, const std::vector<Evidence>& evidence) {
  const auto needs = needs_of(claim);
  Considered considered{{}, needs.size(), 0};
  std::set<std::size_t> places;
  std::set<std::size_t> answering;
  for (const auto& need : needs) {
    const auto best = best_answer(need, claim, evidence, answering);
    if (!best) continue;
    ++considered.measured;
    places.insert(*best);
  }
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    if (evidence[i].not_counted.empty() && !answering.contains(i)) places.insert(i);
  }
  considered.places.assign(places.begin(), places.end());
  return considered;
}

/// The number by which evidence is compared in size: its value, else its step, else its limit, else
/// 0.
double size_of(const Evidence& evidence) {
  return evidence.value.value_or(evidence.step.value_or(evidence.limit.value_or(0)));
}

std::size_t count(const std::vector<Position>& positions, Position wanted) {
  return static_cast<std::size_t>(std::count(positions.begin(), positions.end(), wanted));
}

/// The finding that follows from the positions of everything considered.
Finding finding_of(Form form, const std::vector<Position>& positions, bool complete) {
  if (positions.empty()) return Finding::kNotTestable;
  const auto all = positions.size();
  const auto below = count(positions, Position::kBelow);
  const auto above = count(positions, Position::kAbove);
  const auto open = count(positions, Position::kOpen);
  const bool is_largest = form == Form::kUpTo || form == Form::kAt;
  if (is_largest) {
    if (above > 0) return Finding::kBetter;
    if (count(positions, Position::kAgrees) > 0) return Finding::kReproduced;
    return complete && below == all ? Finding::kContradicted : Finding::kNotTestable;
  }
  const auto against = form == Form::kAtLeast  ? below
                       : form == Form::kAtMost ? above
                                               : below + above;
  if (against > 0) return Finding::kContradicted;
  return complete && open == 0 ? Finding::kReproduced : Finding::kNotTestable;
}

/// Whether `one` speaks more against the claim than `other`. For the forms kAt and kUpTo: whether
/// `one` is larger.
bool is_worse(const Claim& claim, const Evidence& one, const Evidence& other) {
  if (claim.form == Form::kAbout) return distance(one, claim.value) > distance(other, claim.value);
  if (claim.form == Form::kAtLeast) return size_of(one) < size_of(other);
  return size_of(one) > size_of(other);
}

/// The evidence that a reader should see first: evidence that decides, then measured evidence, then
/// the most extreme number.
std::size_t decisive_of(const Claim& claim, const std::vector<Evidence>& evidence,
                        const std::vector<std::size_t>& places) {
  const auto rank = [&](std::size_t place) {
    const auto& each = evidence[place];
    const auto at = position(each, claim);
    const bool is_outside = at == Position::kBelow || at == Position::kAbove;
    const bool decides = claim.form == Form::kAtLeast  ? at == Position::kBelow
                         : claim.form == Form::kAtMost ? at == Position::kAbove
                         : claim.form == Form::kAbout  ? is_outside
                                                       : each.value && std::isfinite(*each.value);
    return 2 * static_cast<int>(decides) + static_cast<int>(each.value.has_value());
  };
  auto best = places.front();
  for (const auto place : places) {
    const bool same = rank(place) == rank(best);
    const bool more = same && is_worse(claim, evidence[place], evidence[best]);
    if (more || rank(place) > rank(best)) best = place;
  }
  return best;
}

/// The pieces of evidence with the fewest reasons against them, where none counts.
std::vector<std::size_t> nearest_places(const std::vector<Evidence>& evidence) {
  auto least = evidence.front().not_counted.size();
  for (const auto& each : evidence) least = std::min(least, each.not_counted.size());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    if (evidence[i].not_counted.size() == least) places.push_back(i);
  }
  return places;
}

/// The spread of the measured values, or of the steps where no values were measured.
std::optional<statistics::Spread> spread_over(const std::vector<Evidence>& evidence,
                                              const std::vector<std::size_t>& places) {
  std::vector<double> values;
  for (const auto place : places) {
    const auto& each = evidence[place];
    const auto value = each.value ? each.value : each.step;
    if (value && std::isfinite(*value)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return statistics::spread(values);
}

/// Says why an arm's finding is kNotTestable although some of its evidence counts.
std::string why_open(const Claim& claim, const std::vector<Evidence>& evidence,
                     const Considered& considered) {
  const auto any = [&](const auto& holds) {
    return std::any_of(considered.places.begin(), considered.places.end(),
                       [&](std::size_t place) { return holds(evidence[place]); });
  };
  std::vector<std::string> parts;
  if (any([](const Evidence& each) { return !each.has_curve && !each.value; })) {
    parts.emplace_back("no curve");
  }
  if (any([](const Evidence& each) { return each.has_curve && !each.value; })) {
    parts.emplace_back("not timed");
  }
  if (any([](const Evidence& each) { return each.value && std::isinf(*each.value); })) {
    parts.emplace_back("the baseline never reached the target");
  }
  if (claim.population.lower_ratios_too && considered.measured == 0) {
    parts.push_back(fmt::format("not measured at ratio {:g}", claim.population.pruning_ratio));
  } else if (considered.measured < considered.needed) {
    parts.push_back(
        fmt::format("{} of {} settings measured", considered.measured, considered.needed));
  }
  if (is_bound(claim) &&
      any([&](const Evidence& each) { return each.value && holds(each.interval, claim.value); })) {
    parts.emplace_back("our interval contains the bound");
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string why_of(const Claim& claim, Finding finding, const Evidence& decisive) {
  if (finding == Finding::kReproduced) {
    if (is_bound(claim)) return "the bound holds in every measured setting";
    return holds(decisive.interval, claim.value) ? "the paper's number is in our interval"
                                                 : "within 20 %";
  }
  if (finding == Finding::kBetter) return "ours is larger than the paper's best";
  if (position(decisive, claim) == Position::kAbove) return "ours is larger";
  return decisive.value ? "ours is smaller" : "the most that ours can be is too small";
}

/// The position relative to a bound: open while the interval holds the bound.
Position position_to_bound(const Evidence& evidence, const Claim& claim) {
  const double value = *evidence.value;
  if (holds(evidence.interval, claim.value)) return Position::kOpen;
  const bool is_kept = claim.form == Form::kAtLeast ? value >= claim.value : value <= claim.value;
  if (is_kept) return Position::kAgrees;
  return value < claim.value ? Position::kBelow : Position::kAbove;
}

}  // namespace

std::string word_here(Finding finding) {
  switch (finding) {
    case Finding::kReproduced:
    case Finding::kBetter:
      return "holds here";
    case Finding::kContradicted:
      return "fails here";
    case Finding::kNotTestable:
      return "inconclusive here";
  }
  return "";
}

Position position(const Evidence& evidence, const Claim& claim) {
  const double paper = claim.value;
  if (!evidence.value) {
    const double slack = is_bound(claim) ? 1 : kTolerance;
    const bool is_out_of_reach = evidence.limit && *evidence.limit * slack < paper;
    return is_out_of_reach ? Position::kBelow : Position::kOpen;
  }
  if (std::isinf(*evidence.value)) return is_bound(claim) ? Position::kAbove : Position::kOpen;
  if (is_bound(claim)) return position_to_bound(evidence, claim);
  if (agrees(*evidence.value, paper) || holds(evidence.interval, paper)) return Position::kAgrees;
  return *evidence.value < paper ? Position::kBelow : Position::kAbove;
}

double distance(const Evidence& evidence, double paper) {
  const double size = size_of(evidence);
  return size > 0 ? std::max(size / paper, paper / size) : std::numeric_limits<double>::infinity();
}

ArmAnswer answer_of(const Claim& claim, std::vector<Evidence> evidence) {
  const auto considered = consider(claim, evidence);
  std::vector<Position> positions;
  for (const auto place : considered.places) {
    positions.push_back(position(evidence[place], claim));
  }
  ArmAnswer answer;
  answer.label = evidence.front().label;
  answer.kind = evidence.front().kind;
  answer.is_paper_arm =
      std::find(claim.arms.begin(), claim.arms.end(), answer.kind) != claim.arms.end();
  answer.needed = considered.needed;
  answer.measured = considered.measured;
  answer.finding = finding_of(claim.form, positions, considered.measured == considered.needed);
  answer.counts = !considered.places.empty();
  const auto shown = answer.counts ? considered.places : nearest_places(evidence);
  answer.over_settings = spread_over(evidence, shown);
  answer.decisive = decisive_of(claim, evidence, shown);
  const auto& best = evidence[answer.decisive];
  answer.why = !answer.counts
                   ? fmt::format("no measurement counts (nearest: {})", words_of(best.not_counted))
               : answer.finding == Finding::kNotTestable ? why_open(claim, evidence, considered)
                                                         : why_of(claim, answer.finding, best);
  answer.evidence = std::move(evidence);
  return answer;
}

}  // namespace pacbench::reproduce
