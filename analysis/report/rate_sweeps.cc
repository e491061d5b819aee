#include "analysis/report/rate_sweeps.h"

#include <algorithm>
#include <map>
#include <optional>

namespace pacbench::report {
namespace {

/// Returns a link's profile without name and rate: links that share it differ in their rate alone.
std::optional<Json> beside_rate(const Json& scenario, const std::string& link) {
  for (auto profile : scenario.at("network").at("links")) {
    if (profile.at("name") != link || !profile.contains("rate_mbit")) continue;
    profile.erase("name");
    profile.erase("rate_mbit");
    return profile;
  }
  return std::nullopt;
}

}  // namespace

std::vector<RateSweep> rate_sweeps(const ReportSection& section) {
  std::map<Json, RateSweep> groups;
  for (const auto& link : section.links) {
    if (const auto rest = beside_rate(section.scenario, link.link)) groups[*rest].push_back(&link);
  }
  std::vector<RateSweep> sweeps;
  for (auto& [rest, links] : groups) {
    std::sort(links.begin(), links.end(), [](const LinkReport* one, const LinkReport* other) {
      return one->rate_mbit < other->rate_mbit;
    });
    const auto same = [](const LinkReport* one, const LinkReport* other) {
      return one->rate_mbit == other->rate_mbit;
    };
    links.erase(std::unique(links.begin(), links.end(), same), links.end());
    if (links.size() > 1) sweeps.push_back(links);
  }
  return sweeps;
}

const ReportRow* find_row(const LinkReport& link, const std::string& label) {
  const auto found = std::find_if(link.rows.begin(), link.rows.end(),
                                  [&](const ReportRow& row) { return row.label == label; });
  return found == link.rows.end() ? nullptr : &*found;
}

}  // namespace pacbench::report
