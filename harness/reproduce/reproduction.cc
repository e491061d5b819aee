#include "harness/reproduce/reproduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "harness/reproduce/arms.h"
#include "harness/reproduce/runs.h"

namespace pacbench::reproduce {
namespace {

/// Arms that are the same method, whatever they are called and wherever they were measured.
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

/// The first of what the claim can be answered by; a reproduced claim is closest to the paper.
bool is_before(const Claim& claim, const ArmAnswer& one, const ArmAnswer& other) {
  const auto rank = [&](const ArmAnswer& arm) {
    const int of_finding = arm.finding == Finding::kReproduced    ? 0
                           : arm.finding == Finding::kBetter      ? 0
                           : arm.finding == Finding::kNotTestable ? 1
                                                                  : 2;
    // Bytes that were counted on a link say more than those that were declared.
    const bool is_declared = arm.best().setting.mode == "learn";
    return std::tuple{!arm.is_paper_arm, !arm.counts, of_finding, is_declared,
                      distance(arm.best(), claim.value)};
  };
  return rank(one) < rank(other);
}

std::string kinds_words(const std::vector<std::string>& kinds) {
  std::vector<std::string> words;
  for (const auto& kind : kinds) words.push_back(arm_words(kind));
  return fmt::format("{}", fmt::join(words, " or "));
}

std::string why_no_arm(const Claim& claim) {
  const auto words = "no run has " + kinds_words(claim.arms);
  return claim.baselines.empty() ? words : words + " beside " + kinds_words(claim.baselines);
}

/// Kinds of arm that the paper may have meant and nobody measured.
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

ClaimAnswer answer_to(const Claim& claim, const Measurements& measured) {
  std::vector<Evidence> all;
  for (std::size_t place = 0; place < measured.links().size(); ++place) {
    auto found = evidence_of(claim, measured.links(), place);
    all.insert(all.end(), std::make_move_iterator(found.begin()),
               std::make_move_iterator(found.end()));
  }
  ClaimAnswer answer;
  answer.claim = &claim;
  for (auto& evidence : by_arm(std::move(all))) {
    answer.arms.push_back(answer_of(claim, std::move(evidence)));
  }
  std::stable_sort(
      answer.arms.begin(), answer.arms.end(),
      [&](const ArmAnswer& one, const ArmAnswer& other) { return is_before(claim, one, other); });
  if (answer.arms.empty() || !answer.arms.front().is_paper_arm) {
    answer.why = why_no_arm(claim);
    return answer;
  }
  answer.best = 0;
  answer.finding = answer.arms.front().finding;
  answer.why = answer.arms.front().why;
  const auto missing = unmeasured(claim, answer.arms);
  if (answer.finding == Finding::kContradicted && !missing.empty()) {
    answer.finding = Finding::kNotTestable;
    answer.why = fmt::format("{} contradicts it, but nobody measured {}", answer.arms.front().label,
                             kinds_words(missing));
  }
  return answer;
}

/// Those of report sections that say what is missing or how a mode is to be read.
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

std::size_t Reproduction::count(Finding finding) const {
  const auto found = std::count_if(claims.begin(), claims.end(), [&](const ClaimAnswer& answer) {
    return answer.finding == finding;
  });
  const auto untestable = finding == Finding::kNotTestable ? untestable_claims().size() : 0;
  return static_cast<std::size_t>(found) + untestable;
}

bool Reproduction::answers_any() const {
  return std::any_of(claims.begin(), claims.end(), [](const ClaimAnswer& answer) {
    return answer.finding != Finding::kNotTestable;
  });
}

Reproduction reproduce(const std::vector<report::NamedResult>& runs, const Catalogue& catalogue) {
  const Measurements measured{runs};
  Reproduction reproduction;
  for (const auto& claim : paper_claims()) {
    reproduction.claims.push_back(answer_to(claim, measured));
  }
  reproduction.tables_1 = tables_1(measured.links(), catalogue);
  reproduction.steps = step_matrices(measured.links(), catalogue);
  reproduction.runs = run_identities(runs);
  reproduction.notes = notes_of(measured.report());
  return reproduction;
}

}  // namespace pacbench::reproduce
