#include "harness/plan/link_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "contract/network/network.h"

namespace pacbench::plan {
namespace {

std::string mbit(const Json& rate) { return fmt::format("{:g}", rate.get<double>()); }

std::string schedule_words(const Json& schedule) {
  const auto& steps = schedule.at("steps");
  std::vector<double> rates;
  for (const auto& step : steps) rates.push_back(step.at("rate_mbit"));
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  auto words = fmt::format("{:g} to {:g} Mbit/s each way in {} steps", *least, *most, steps.size());
  if (schedule.contains("repeat_s")) {
    words += fmt::format(", again every {:g} s", schedule.at("repeat_s").get<double>());
  }
  return words;
}

std::string rate_words(const Json& link) {
  if (link.contains("schedule")) return schedule_words(link.at("schedule"));
  if (link.contains("rate_mbit")) {
    return fmt::format("{} Mbit/s each way", mbit(link.at("rate_mbit")));
  }
  return fmt::format("{} Mbit/s up, {} down", mbit(link.at("up_mbit")), mbit(link.at("down_mbit")));
}

/// The links that the rates belong to, in words.
std::string place_words(const Json& network, const Json& link) {
  const auto& layout = link.contains("topology") ? link : network;
  const std::string topology = layout.at("topology");
  if (topology == "star") return "each worker";
  if (is_simulated_only(topology)) {
    return fmt::format("each link of a {} of {}", topology,
                       fmt::join(layout.at("shape").get<std::vector<int>>(), " × "));
  }
  const auto groups =
      fmt::format("{}", fmt::join(layout.at("groups").get<std::vector<int>>(), "/"));
  return topology == "chain3"
             ? fmt::format("between the three switches of {} workers", groups)
             : fmt::format("between the core and each of the sites of {} workers", groups);
}

void add_impairment(const Json& link, std::vector<std::string>& parts) {
  const auto percent = [&](const char* key) { return 100 * link.at(key).get<double>(); };
  if (link.contains("delay_ms")) {
    auto delay = fmt::format("{:g}", link.at("delay_ms").get<double>());
    if (link.contains("jitter_ms")) {
      delay += fmt::format(" ± {:g}", link.at("jitter_ms").get<double>());
    }
    parts.push_back(delay + " ms one way");
  }
  if (link.contains("loss")) parts.push_back(fmt::format("{:g} % lost", percent("loss")));
  if (link.contains("reorder")) {
    parts.push_back(fmt::format("{:g} % reordered", percent("reorder")));
  }
}

std::string override_words(const Json& entry) {
  std::vector<std::string> parts;
  for (const char* key : {"rate_mbit", "up_mbit", "down_mbit"}) {
    if (!entry.contains(key)) continue;
    const std::string direction = key[0] == 'u' ? " up" : key[0] == 'd' ? " down" : "";
    parts.push_back(fmt::format("{} Mbit/s{}", mbit(entry.at(key)), direction));
  }
  add_impairment(entry, parts);
  if (entry.contains("queue_kb")) {
    parts.push_back(fmt::format("a queue of {} KB", entry.at("queue_kb").get<std::int64_t>()));
  }
  return fmt::format("worker {}: {}", entry.at("worker").get<int>(), fmt::join(parts, ", "));
}

std::string load_words(const Json& load) {
  return fmt::format(
      "load from worker {} to worker {}, {:g} to {:g} s{}", load.at("from").get<int>(),
      load.at("to").get<int>(), load.at("start_s").get<double>(), load.at("end_s").get<double>(),
      load.contains("rate_mbit") ? fmt::format(", {} Mbit/s", mbit(load.at("rate_mbit"))) : "");
}

}  // namespace

std::string link_words(const Json& network, const Json& link) {
  std::vector<std::string> parts{
      fmt::format("{}, {}", rate_words(link), place_words(network, link))};
  add_impairment(link, parts);
  for (const auto& entry : link.value("overrides", Json::array())) {
    parts.push_back(override_words(entry));
  }
  for (const auto& load : link.value("load", Json::array())) parts.push_back(load_words(load));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace pacbench::plan
