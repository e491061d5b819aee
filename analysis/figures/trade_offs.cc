#include "analysis/figures/trade_offs.h"

#include <algorithm>
#include <cmath>

namespace pacbench::figures {
namespace {

bool dominates(const TradeOff& one, const TradeOff& other) {
  return one.speed_up >= other.speed_up && one.accuracy >= other.accuracy &&
         (one.speed_up > other.speed_up || one.accuracy > other.accuracy);
}

/// A method between two neighbouring rates, as a line over x: 0 is the lower rate, 1 the higher.
struct Line {
  const std::string* label;
  double start;  ///< logarithm of the TTA at x = 0
  double slope;

  double at(double x) const { return start + slope * x; }
};

std::vector<Line> lines_between(const std::vector<RateSeries>& methods, std::size_t lower) {
  std::vector<Line> lines;
  for (const auto& method : methods) {
    const auto& from = method.points[lower].tta_s;
    const auto& to = method.points[lower + 1].tta_s;
    if (!from || !to || *from <= 0 || *to <= 0) continue;
    lines.push_back({&method.label, std::log(*from), std::log(*to) - std::log(*from)});
  }
  return lines;
}

/// Returns the next x, from `x` to 1, at which another line gets below `now`, and that other line;
/// nothing when no line does.
std::optional<std::pair<double, const Line*>> next_change(const std::vector<Line>& lines,
                                                          const Line& now, double x) {
  std::optional<std::pair<double, const Line*>> next;
  for (const auto& line : lines) {
    if (line.slope >= now.slope) continue;
    const auto meets = (line.start - now.start) / (now.slope - line.slope);
    if (meets < x || meets > 1) continue;
    const bool sooner =
        !next || meets < next->first || (meets == next->first && line.slope < next->second->slope);
    if (sooner) next = std::pair{meets, &line};
  }
  return next;
}

}  // namespace

std::vector<bool> pareto_front(const std::vector<TradeOff>& methods) {
  std::vector<bool> front;
  for (const auto& method : methods) {
    front.push_back(std::ranges::none_of(
        methods, [&](const TradeOff& other) { return dominates(other, method); }));
  }
  return front;
}

std::vector<FastestChange> fastest_changes(const std::vector<RateSeries>& methods) {
  std::vector<FastestChange> found;
  if (methods.empty()) return found;
  for (std::size_t i = 0; i + 1 < methods.front().points.size(); ++i) {
    const auto lines = lines_between(methods, i);
    if (lines.empty()) continue;
    const auto low = std::log(methods.front().points[i].rate_mbit);
    const auto high = std::log(methods.front().points[i + 1].rate_mbit);
    const auto* now = &*std::ranges::min_element(lines, {}, &Line::start);
    for (double x = 0; const auto next = next_change(lines, *now, x);) {
      x = next->first;
      found.push_back({std::exp(low + (high - low) * x), std::exp(now->at(x)), *now->label,
                       *next->second->label});
      now = next->second;
    }
  }
  return found;
}

}  // namespace pacbench::figures
