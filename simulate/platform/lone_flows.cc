#include "simulate/platform/lone_flows.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace pacbench::simulate {

void LoneFlows::set_rate(int direction, double bytes_per_s) {
  const auto place = static_cast<std::size_t>(direction);
  if (directions_.size() <= place) directions_.resize(place + 1);
  directions_[place].bytes_per_s = bytes_per_s;
}

bool LoneFlows::take(Rest& flow) {
  double bytes_per_s = std::numeric_limits<double>::max();
  bool is_alone = true;
  for (const int direction : flow.directions) {
    auto& crossed = at(direction);
    bytes_per_s = std::min(bytes_per_s, crossed.bytes_per_s);
    is_alone = is_alone && crossed.flows == 0;
    if (crossed.lone >= 0) part(crossed.lone);
  }
  const auto number = is_alone ? next_++ : -1;
  for (const int direction : flow.directions) {
    ++at(direction).flows;
    at(direction).lone = number;
  }
  if (!is_alone) return false;
  const double seconds = flow.bytes / bytes_per_s;
  flows_.emplace(number, Flow{std::move(flow), network_.now_s(), bytes_per_s});
  network_.after(seconds, [this, number] { ended(number); });
  return true;
}

double LoneFlows::standing_at(int direction) const {
  const auto lone = directions_.at(static_cast<std::size_t>(direction)).lone;
  if (lone < 0 || flows_.at(lone).whole.standing != direction) return 0;
  return left(flows_.at(lone), network_.now_s());
}

void LoneFlows::leave(const std::vector<int>& directions) {
  for (const int direction : directions) --at(direction).flows;
}

/// Hands over a flow that is alone no longer. Its timer later finds no flow of this number.
void LoneFlows::part(std::int64_t number) {
  auto node = flows_.extract(number);
  auto& flow = node.mapped();
  for (const int direction : flow.whole.directions) at(direction).lone = -1;
  flow.whole.bytes = left(flow, network_.now_s());
  hand_over_(std::move(flow.whole));
}

void LoneFlows::ended(std::int64_t number) {
  auto node = flows_.extract(number);
  if (node.empty()) return;
  const auto flow = std::move(node.mapped().whole);
  for (const int direction : flow.directions) at(direction).lone = -1;
  leave(flow.directions);
  flow.then();
}

}  // namespace pacbench::simulate
