#include "analysis/reproduce/speeds.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "analysis/reproduce/measured.h"
#include "contract/scenario/scenario.h"

namespace pacbench::reproduce {
namespace {

/// The assumed speed of computing in TFLOP/s; absent where computing was measured.
std::optional<double> assumed_speed(const Json& scenario) {
  if (scenario.value("mode", "") != "compose") return std::nullopt;
  const Json::json_pointer place{"/compose/profile/assumption"};
  if (!scenario.contains(place)) return std::nullopt;
  const auto& assumption = scenario.at(place);
  return assumption.at("peak_tflops").get<double>() * assumption.at("utilisation").get<double>();
}

/// Identifies a link, as text, without what follows from the assumed speed; empty where none was
/// assumed.
std::string but_for_speed(const MeasuredLink& link) {
  if (!assumed_speed(link.section->scenario)) return "";
  auto scenario = compared_part(link.section->scenario);
  auto& compose = scenario.at("compose");
  for (const char* key : {"assumption", "iterations", "sample"}) compose.at("profile").erase(key);
  compose.erase("iterations");
  return link.link->link + scenario.dump();
}

bool differ_by_two(double one, double other) {
  return std::abs(std::abs(std::log2(one / other)) - 1) < 1e-3;
}

struct Assumed {
  double speed = 0;
  std::string rest;
};

/// The places in `all` of the links that differ from `own` only in the assumed speed of computing,
/// which is half or double. None where no speed was assumed.
std::vector<std::size_t> others_of(const std::vector<Assumed>& all, const Assumed& own) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool same = !own.rest.empty() && all[i].rest == own.rest;
    if (same && differ_by_two(all[i].speed, own.speed)) others.push_back(i);
  }
  return others;
}

}  // namespace

void pair_speeds(std::vector<MeasuredLink>& links) {
  std::vector<Assumed> all;
  for (const auto& link : links) {
    all.push_back({assumed_speed(link.section->scenario).value_or(0), but_for_speed(link)});
  }
  std::vector<std::size_t> order(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    order[i] = i;
    links[i].speeds = others_of(all, all[i]);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return links[one].speeds.size() > links[other].speeds.size();
  });
  for (const auto i : order) {
    if (links[i].is_speed) links[i].speeds.clear();
    for (const auto other : links[i].speeds) links[other].is_speed = true;
  }
}

}  // namespace pacbench::reproduce
