#include "analysis/adapt/gain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/report/words.h"

namespace pacbench::adapt {
namespace {

/// The arms that an oracle uses, each with its share of the oracle's time, the largest share first.
std::string arms_words(const Gain& gain) {
  std::vector<std::pair<std::string, double>> shares{gain.shares.begin(), gain.shares.end()};
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& one, const auto& other) { return one.second > other.second; });
  std::vector<std::string> all;
  for (const auto& [label, share] : shares) {
    all.push_back(fmt::format("{} {:.0f} %", label, 100 * share));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

Table rates_table(const Answer& answer) {
  const auto target = "to " + words_of(answer.arms.target);
  Table table{{{"", "Mbit/s"},
               {target, "fastest", true},
               {target, "TTA s"},
               {target, "next", true},
               {target, "× as long"}},
              {}};
  for (const auto& at : answer.rates) {
    const auto behind = at.next.empty() ? "" : fmt::format("{:.2f}", at.next_s / at.tta_s);
    table.rows.push_back(
        {significant(at.rate_mbit), at.fastest, significant(at.tta_s), at.next, behind});
  }
  return table;
}

Table gains_table(const Answer& answer) {
  Table table{{{"", "link", true},
               {"one arm", "arm", true},
               {"one arm", "TTA s"},
               {"oracle", "TTA s"},
               {"oracle", "× as fast"},
               {"oracle", "over seeds"},
               {"oracle", "its arms", true}},
              {}};
  for (const auto& [name, gain] : answer.links) {
    const auto [least, most] = std::minmax_element(gain.of_seeds.begin(), gain.of_seeds.end());
    table.rows.push_back({name, gain.single, significant(gain.single_s), significant(gain.oracle_s),
                          fmt::format("{:.2f}", gain.factor()),
                          fmt::format("{:.2f}–{:.2f}", *least, *most), arms_words(gain)});
  }
  return table;
}

std::string words(const Answer& answer, std::size_t columns) {
  const auto& arms = answer.arms;
  const auto& steady = answer.steady;
  const auto rows = arms.medians.size() + arms.left_out.size();
  auto text = fmt::format(
      "{} of {} rows (methods with their options) count: all {} seeds reached {} at every rate, "
      "over links as declared. ",
      arms.medians.size(), rows, arms.of_seeds.size(), words_of(arms.target));
  text += steady.worst_factor == 1
              ? fmt::format("{} is the fastest at every rate.", steady.label)
              : fmt::format(
                    "{} loses least if the method may not change: it takes at most {:.2f} × the "
                    "fastest row's time (at {} Mbit/s).",
                    steady.label, steady.worst_factor, significant(steady.rate_mbit));
  if (!arms.left_out.empty()) text += fmt::format(" Left out: {}.", fmt::join(arms.left_out, ", "));
  return report::wrapped(text, 0, columns);
}

Json to_json(const Answer& answer) {
  Json rates = Json::array();
  for (const auto& at : answer.rates) {
    rates.push_back({{"rate_mbit", at.rate_mbit},
                     {"fastest", at.fastest},
                     {"tta_s", at.tta_s},
                     {"next", at.next},
                     {"next_tta_s", at.next_s}});
  }
  Json links = Json::array();
  for (const auto& [name, gain] : answer.links) {
    links.push_back({{"link", name},
                     {"single", gain.single},
                     {"single_tta_s", gain.single_s},
                     {"oracle_tta_s", gain.oracle_s},
                     {"factor", gain.factor()},
                     {"factor_of_seeds", gain.of_seeds},
                     {"shares", gain.shares}});
  }
  return {{"format", Answer::kFormat},
          {"target", pacbench::to_json(std::vector{answer.arms.target})},
          {"rates", rates},
          {"left_out", answer.arms.left_out},
          {"steadiest",
           {{"label", answer.steady.label},
            {"worst_factor", answer.steady.worst_factor},
            {"rate_mbit", answer.steady.rate_mbit}}},
          {"links", links}};
}

}  // namespace pacbench::adapt
