#include "analysis/reproduce/reproduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "analysis/reproduce/runs.h"

namespace pacbench::reproduce {
namespace {

/// Groups the evidence by Evidence::identity: the same options are one arm, whatever its label and
/// wherever it was measured. A claim may also join lower pruning ratios, or all tuned rows of a
/// kind.
std::vector<std::vector<Evidence>> by_arm(std::vector<Evidence> all) {
  std::vector<std::vector<Evidence>> arms;
  std::map<std::string, std::size_t> places;
  for (auto& evidence : all) {
    const auto [found, is_new] = places.emplace(evidence.identity, arms.size());
    if (is_new) arms.emplace_back();
    arms[found->second].push_back(std::move(evidence));
  }
  return arms;
}

/// Whether `one` comes before `other`. The paper's arms come first, then arms with evidence that
/// counts. The finding decides next: reproduced or better, then not testable, then contradicted.
/// Among equals, counted bytes come before declared ones, and then numbers nearer to the claim's
/// before others.
bool is_before(const Claim& claim, const ArmAnswer& one, const ArmAnswer& other) {
  const auto rank = [&](const ArmAnswer& arm) {
    const int of_finding = arm.finding == Finding::kReproduced    ? 0
                           : arm.finding == Finding::kBetter      ? 0
                           : arm.finding == Finding::kNotTestable ? 1
                                                                  : 2;
    // Bytes that were counted on a link say more than those that were declared.
    const bool is_declared = arm.best().setting.mode == Mode::kLearn;
    return std::tuple{!arm.is_paper_arm, !arm.counts, of_finding, is_declared,
                      distance(arm.best(), claim.value)};
  };
  return rank(one) < rank(other);
}

std::string kinds_words(const Claims& claims, const std::vector<std::string>& kinds) {
  std::vector<std::string> words;
  for (const auto& kind : kinds) words.push_back(claims.words_of(kind));
  return fmt::format("{}", fmt::join(words, " or "));
}

std::string why_no_arm(const Claim& claim, const Claims& claims) {
  const auto words = "no run that measures this has " + kinds_words(claims, claim.arms);
  return claim.baselines.empty() ? words
                                 : words + " beside " + kinds_words(claims, claim.baselines);
}

/// Kinds of arm that the paper may have meant, and for which no evidence counts.
std::vector<std::string> unmeasured(const Claim& claim, const std::vector<ArmAnswer>& arms) {
  std::vector<std::string> kinds;
  std::copy_if(claim.arms.begin(), claim.arms.end(), std::back_inserter(kinds),
               [&](const std::string& kind) {
                 return std::none_of(arms.begin(), arms.end(), [&](const ArmAnswer& arm) {
                   return arm.kind == kind && arm.counts;
                 });
               });
  return kinds;
}

/// Whether evidence is of another network or data set than every setting of the claim.
bool is_elsewhere(const Evidence& evidence) {
  return std::any_of(
      evidence.not_counted.begin(), evidence.not_counted.end(),
      [](const Reason& reason) { return reason.kind == "network" || reason.kind == "dataset"; });
}

/// Judges a claim. Evidence of another network or data set decides nothing, and is shown only with
/// `show_elsewhere`.
Judgement judge(const Claim& claim, const Claims& claims, const Measurements& measured,
                bool show_elsewhere) {
  std::vector<Evidence> all;
  for (std::size_t place = 0; place < measured.links().size(); ++place) {
    auto found = evidence_of(claim, claims, measured.links(), place);
    all.insert(all.end(), std::make_move_iterator(found.begin()),
               std::make_move_iterator(found.end()));
  }
  if (!show_elsewhere) std::erase_if(all, is_elsewhere);
  Judgement judgement;
  for (auto& evidence : by_arm(std::move(all))) {
    judgement.arms.push_back(answer_of(claim, std::move(evidence)));
  }
  std::stable_sort(
      judgement.arms.begin(), judgement.arms.end(),
      [&](const ArmAnswer& one, const ArmAnswer& other) { return is_before(claim, one, other); });
  if (judgement.arms.empty() || !judgement.arms.front().is_paper_arm) {
    judgement.why = why_no_arm(claim, claims);
    return judgement;
  }
  judgement.best = 0;
  judgement.finding = judgement.arms.front().finding;
  judgement.why = judgement.arms.front().why;
  const auto missing = unmeasured(claim, judgement.arms);
  if (judgement.finding == Finding::kContradicted && !missing.empty()) {
    judgement.finding = Finding::kNotTestable;
    judgement.why = fmt::format("{} contradicts it, but no run that measures this has {}",
                                judgement.arms.front().label, kinds_words(claims, missing));
  }
  return judgement;
}

/// The claims as asked of our own settings. There, arms that move the same values in other ways
/// (`here_as`) become the paper's kinds, too.
Claims as_asked_here(Claims claims) {
  for (auto& arm : claims.arms) {
    if (!arm.here_as.empty()) arm.kind = arm.here_as;
  }
  return claims;
}

ClaimAnswer answer_to(const Claim& claim, const Claims& claims, const Measurements& measured) {
  ClaimAnswer answer{judge(claim, claims, measured, true), &claim, std::nullopt};
  if (claim.here) {
    auto asked_here = claim;
    asked_here.population = *claim.here;
    answer.here = judge(asked_here, as_asked_here(claims), measured, false);
  }
  return answer;
}

/// The notes of all report sections, each once.
std::vector<std::string> notes_of(const report::Report& report) {
  std::vector<std::string> notes;
  for (const auto& section : report.sections) {
    for (const auto& note : section.notes) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
  }
  return notes;
}

}  // namespace

const ArmAnswer* Judgement::shown() const {
  return arms.empty() ? nullptr : &arms[best.value_or(0)];
}

std::size_t Reproduction::count(Finding finding) const {
  const auto found = std::count_if(claims.begin(), claims.end(), [&](const ClaimAnswer& answer) {
    return answer.finding == finding;
  });
  const auto untestable = finding == Finding::kNotTestable ? of->untestable.size() : 0;
  return static_cast<std::size_t>(found) + untestable;
}

bool Reproduction::answers_any() const {
  const auto is_answered = [](const Judgement& judgement) {
    return judgement.finding != Finding::kNotTestable;
  };
  return std::any_of(claims.begin(), claims.end(), [&](const ClaimAnswer& answer) {
    return is_answered(answer) || (answer.here && is_answered(*answer.here));
  });
}

Reproduction reproduce(const Claims& claims, const std::vector<store::NamedResult>& runs,
                       const Catalogue& catalogue) {
  const Measurements measured{runs};
  Reproduction reproduction;
  reproduction.of = &claims;
  for (const auto& claim : claims.claims) {
    reproduction.claims.push_back(answer_to(claim, claims, measured));
  }
  reproduction.tables_1 = tables_1(measured.links(), catalogue);
  reproduction.steps = step_matrices(measured.links(), catalogue);
  reproduction.runs = run_identities(runs);
  reproduction.notes = notes_of(measured.report());
  return reproduction;
}

}  // namespace pacbench::reproduce
