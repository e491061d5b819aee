#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/markdown_text.h"
#include "harness/reproduce/arms.h"
#include "harness/reproduce/parts.h"
#include "harness/reproduce/words.h"
#include "harness/table.h"

namespace pacbench::reproduce {
namespace {

bool any_speeds(const ClaimAnswer& answer) {
  return std::any_of(answer.arms.begin(), answer.arms.end(), [](const ArmAnswer& arm) {
    return std::any_of(arm.evidence.begin(), arm.evidence.end(),
                       [](const Evidence& each) { return !each.speeds.empty(); });
  });
}

/// What all tables of a claim show of a measurement.
struct Columns {
  explicit Columns(const ClaimAnswer& answer)
      : claim{*answer.claim}, with_speeds{any_speeds(answer)} {}

  void add_heads(Table& table) const {
    if (!claim.baselines.empty()) table.columns.push_back({"", "against", true});
    table.columns.push_back({"", "ours"});
    table.columns.push_back({"", "95 % or range"});
    if (with_speeds) table.columns.push_back({"", "half–double speed"});
  }

  void add_cells(const Evidence& evidence, std::vector<std::string>& cells) const {
    if (!claim.baselines.empty()) cells.push_back(evidence.against);
    cells.push_back(ours_words(claim, evidence));
    cells.push_back(certainty_words(evidence));
    if (with_speeds) cells.push_back(speeds_words(evidence));
  }

  const Claim& claim;
  bool with_speeds;
};

std::string computing_words(const Setting& setting) {
  return setting.computing.empty() ? setting.mode
                                   : fmt::format("{}: {}", setting.mode, setting.computing);
}

void escape(Table& table) {
  for (auto& row : table.rows) {
    for (auto& cell : row) cell = markdown_text(cell);
  }
}

Table arms_table(const ClaimAnswer& answer) {
  const Columns columns{answer};
  Table table;
  table.columns = {{"", "arm", true}, {"", "is", true}};
  columns.add_heads(table);
  for (const char* head : {"where", "mode: computing"}) table.columns.push_back({"", head, true});
  table.columns.push_back({"", "settings measured"});
  table.columns.push_back({"", "verdict", true});
  for (const auto& arm : answer.arms) {
    const auto& best = arm.best();
    auto& cells = table.rows.emplace_back();
    cells = {arm.label, arm_words(arm.kind) + (arm.is_paper_arm ? "" : ", not the paper's")};
    columns.add_cells(best, cells);
    cells.push_back(setting_words(best.setting));
    cells.push_back(computing_words(best.setting));
    cells.push_back(arm.needed > 0 ? fmt::format("{} of {}", arm.measured, arm.needed)
                                   : fmt::format("{}", arm.evidence.size()));
    cells.push_back(fmt::format("{}: {}", word_of(arm.finding), arm.why));
  }
  escape(table);
  return table;
}

/// Of an arm over one link the baseline that matters most; of all, in the order measured.
std::vector<const Evidence*> one_for_each_setting(const Claim& claim, const ArmAnswer& arm) {
  std::vector<const Evidence*> shown;
  const auto size = [](const Evidence& each) {
    return each.value.value_or(each.step.value_or(each.limit.value_or(0)));
  };
  const auto same_place = [](const Evidence& one, const Evidence& other) {
    return one.label == other.label && one.place == other.place;
  };
  for (const auto& each : arm.evidence) {
    if (shown.empty() || !same_place(*shown.back(), each)) {
      shown.push_back(&each);
      continue;
    }
    const bool is_more = claim.form == Form::kAtLeast ? size(each) < size(*shown.back())
                                                      : size(each) > size(*shown.back());
    if (is_more) shown.back() = &each;
  }
  return shown;
}

/// Of the arms that decide: JSON has those of the others too.
Table measurements_table(const ClaimAnswer& answer) {
  const Columns columns{answer};
  Table table;
  table.columns = {{"", "arm", true}, {"", "where", true}, {"", "mode: computing", true}};
  columns.add_heads(table);
  for (const char* head : {"ratio", "to", "seeds"}) table.columns.push_back({"", head});
  table.columns.push_back({"", "link, host", true});
  table.columns.push_back({"", "counts", true});
  for (const auto& arm : answer.arms) {
    if (!arm.is_paper_arm) continue;
    for (const auto* each : one_for_each_setting(*answer.claim, arm)) {
      auto& cells = table.rows.emplace_back();
      cells = {each->label, setting_words(each->setting), computing_words(each->setting)};
      columns.add_cells(*each, cells);
      cells.push_back(each->ratio ? fmt::format("{:g}", *each->ratio) : "—");
      cells.push_back(each->target ? fmt::format("{:g} %", 100 * *each->target) : "—");
      cells.push_back(fmt::format("{}", each->seeds));
      cells.push_back(trust_words(each->suspect, each->cpu_bound));
      cells.push_back(each->not_counted.empty() ? "yes" : "no: " + each->not_counted);
    }
  }
  escape(table);
  return table;
}

/// A bound that is kept with room to spare needs no excuse.
bool keeps_bound(const Claim& claim, const Evidence& evidence) {
  const auto at = position(evidence, claim);
  return (claim.form == Form::kAtLeast && at == Position::kAbove) ||
         (claim.form == Form::kAtMost && at == Position::kBelow);
}

/// Why an arm's number is another than the paper's; nothing where it agrees.
std::string reasons_markdown(const ClaimAnswer& answer) {
  std::string text;
  for (const auto& arm : answer.arms) {
    const auto& best = arm.best();
    const bool agrees = position(best, *answer.claim) == Position::kAgrees;
    if (agrees || !arm.counts || keeps_bound(*answer.claim, best)) continue;
    std::vector<std::string> words;
    for (const auto& reason : best.reasons) words.push_back(reason.words);
    if (words.empty()) words.emplace_back("no rule of docs/METRICS.md says why");
    text += fmt::format(
        "- {}\n", markdown_text(fmt::format("{} ({}): {}.", arm.label, setting_words(best.setting),
                                            fmt::join(words, "; "))));
  }
  return text.empty() ? text : "\nWhy ours is another number:\n\n" + text;
}

}  // namespace

std::string claim_markdown(const ClaimAnswer& answer) {
  const auto& claim = *answer.claim;
  auto text = fmt::format("### {}\n\n**{}**: {} ({}).", claim.id, paper_words(claim), claim.words,
                          claim.where);
  if (!claim.reading.empty()) text += fmt::format(" Our reading: {}.", claim.reading);
  text += fmt::format("\n\n**{}**: {}.\n", word_of(answer.finding), markdown_text(answer.why));
  if (answer.arms.empty()) return text;
  text += '\n' + to_markdown(arms_table(answer)) + reasons_markdown(answer);
  const auto measurements = measurements_table(answer);
  if (measurements.rows.empty()) return text;
  text += fmt::format(
      "\n<details><summary>All measurements of what the paper may have meant ({}{})</summary>\n\n"
      "{}\n</details>\n",
      measurements.rows.size(),
      claim.baselines.size() > 1 ? ", each against the baseline that matters most" : "",
      to_markdown(measurements));
  return text;
}

}  // namespace pacbench::reproduce
