#include "harness/plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "contract/fabric/fabric_spec.h"
#include "contract/network/network.h"
#include "harness/text/table.h"

namespace pacbench::plan {
namespace {

/// "workers 3 to 5", "worker 3".
std::string workers_text(int first, int last) {
  return first == last ? fmt::format("worker {}", first)
                       : fmt::format("workers {} to {}", first, last);
}

std::string standing_on(const netd::CreateRequest& request, int at) {
  int first = -1;
  int last = -1;
  for (int worker = 0; worker < static_cast<int>(request.workers.size()); ++worker) {
    if (request.workers[static_cast<std::size_t>(worker)].attached_to != at) continue;
    if (first < 0) first = worker;
    last = worker;
  }
  return workers_text(first, last);
}

std::string draw_chain(const netd::CreateRequest& request) {
  constexpr const char* kTrunk[] = {" ════ trunk0 ════ ", " ════ trunk1 ════ ", ""};
  std::string switches;
  std::string posts;
  std::string workers;
  for (int i = 0; i < request.switches; ++i) {
    const auto node = fmt::format("switch {}", i) + kTrunk[i];
    const auto wide = display_width(node);
    switches += node;
    posts += i + 1 < request.switches ? fmt::format("│{:{}}", "", wide - 1) : "│";
    workers += i + 1 < request.switches ? fmt::format("{:{}}", standing_on(request, i), wide)
                                        : standing_on(request, i);
  }
  return fmt::format("  {}\n  {}\n  {}\n", switches, posts, workers);
}

std::string draw_sites(const netd::CreateRequest& request) {
  std::string text = "  core (switch 0)\n";
  const auto sites = static_cast<int>(request.trunks.size());
  for (int site = 0; site < sites; ++site) {
    text += fmt::format("  {}═ trunk{} ═ switch {} ─ {}\n", site + 1 < sites ? "╠" : "╚", site,
                        site + 1, standing_on(request, site + 1));
  }
  return text;
}

std::string draw(const std::string& topology, const netd::CreateRequest& request) {
  if (topology == "chain3") return draw_chain(request);
  if (topology == "groups") return draw_sites(request);
  return fmt::format("  switch ─ {}\n", standing_on(request, 0));
}

std::string percent(double share) { return fmt::format("{:g} %", 100 * share); }

std::string delay_text(const netd::Impairment& impairment) {
  auto text = fmt::format("{:g}", impairment.delay_ms);
  if (impairment.jitter_ms > 0) text += fmt::format(" ± {:g}", impairment.jitter_ms);
  return text;
}

/// The table cells about a direction, without the name of its link.
std::vector<std::string> values(const netd::CreateRequest& request, const std::string& name,
                                bool impaired) {
  const auto& direction = *netd::find_direction(request, name);
  std::vector<std::string> row{fmt::format("{:g}", direction.rate_mbit),
                               std::to_string(netd::queue_bytes(request, name) / 1024)};
  if (impaired) {
    const auto& impairment = direction.impairment;
    row.push_back(delay_text(impairment));
    row.push_back(percent(impairment.loss));
    row.push_back(percent(impairment.reorder));
  }
  row.push_back(std::to_string(ring_flows_over(request, name)));
  row.push_back(std::to_string(netd::flows_over(request, name)));
  return row;
}

/// Adds two rows, sending and receiving, for each sequence of workers whose links are equal.
void add_workers(const netd::CreateRequest& request, bool impaired, Table& table) {
  const auto count = static_cast<int>(request.workers.size());
  for (int first = 0; first < count;) {
    const auto up = values(request, netd::up_name(first), impaired);
    const auto down = values(request, netd::down_name(first), impaired);
    int last = first;
    while (last + 1 < count && values(request, netd::up_name(last + 1), impaired) == up &&
           values(request, netd::down_name(last + 1), impaired) == down) {
      ++last;
    }
    const std::pair<const char*, const std::vector<std::string>&> both[] = {
        {last > first ? "each sending" : "sending", up},
        {last > first ? "each receiving" : "receiving", down}};
    for (const auto& [what, of] : both) {
      table.rows.push_back({fmt::format("{}, {}", workers_text(first, last), what)});
      table.rows.back().insert(table.rows.back().end(), of.begin(), of.end());
    }
    first = last + 1;
  }
}

void add_trunks(const netd::CreateRequest& request, bool impaired, Table& table) {
  for (int trunk = 0; trunk < static_cast<int>(request.trunks.size()); ++trunk) {
    const auto& link = request.trunks[static_cast<std::size_t>(trunk)];
    const auto add = [&](int from, int to, const std::string& name) {
      table.rows.push_back({fmt::format("trunk{}, switch {} to {}", trunk, from, to)});
      const auto of = values(request, name, impaired);
      table.rows.back().insert(table.rows.back().end(), of.begin(), of.end());
    };
    add(link.a, link.b, netd::forward_name(trunk));
    add(link.b, link.a, netd::backward_name(trunk));
  }
}

bool any_impaired(const netd::CreateRequest& request) {
  const auto names = netd::direction_names(request);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return netd::find_direction(request, name)->impairment.any();
  });
}

Table directions_table(const netd::CreateRequest& request) {
  const bool impaired = any_impaired(request);
  Table table{{{"", "direction", true}, {"", "Mbit/s"}, {"", "queue KB"}}, {}};
  if (impaired) {
    table.columns.push_back({"", "delay ms"});
    table.columns.push_back({"", "loss"});
    table.columns.push_back({"", "reordered"});
  }
  table.columns.push_back({"flows", "ring"});
  table.columns.push_back({"flows", "all to all"});
  add_workers(request, impaired, table);
  add_trunks(request, impaired, table);
  return table;
}

double round_trip_ms(const netd::CreateRequest& request, int from, int to) {
  double sum_ms = 0;
  for (const auto& ends : {std::pair{from, to}, std::pair{to, from}}) {
    for (const auto& name : netd::route(request, ends.first, ends.second)) {
      sum_ms += netd::find_direction(request, name)->impairment.delay_ms;
    }
  }
  return sum_ms;
}

std::string round_trips(const netd::CreateRequest& request) {
  const int last = static_cast<int>(request.workers.size()) - 1;
  auto text = fmt::format("  declared delay of a round trip: workers 0 and 1: {:g} ms",
                          round_trip_ms(request, 0, 1));
  if (last > 1)
    text += fmt::format("; workers 0 and {}: {:g} ms", last, round_trip_ms(request, 0, last));
  return text + '\n';
}

std::string schedule_text(const RateSchedule& schedule) {
  constexpr std::size_t kShown = 12;
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < std::min(schedule.steps.size(), kShown); ++i) {
    const auto& step = schedule.steps[i];
    steps.push_back(fmt::format("{:g} s: {:g}", step.at_s, step.rate_mbit));
  }
  if (schedule.steps.size() > kShown) {
    steps.push_back(fmt::format("… {} steps in all", schedule.steps.size()));
  }
  return fmt::format("  Mbit/s from the start of training: {}{}\n", fmt::join(steps, ", "),
                     schedule.repeat_s > 0
                         ? fmt::format(", repeated every {:g} s", schedule.repeat_s)
                         : ", then constant");
}

std::string load_text(const Load& load) {
  return fmt::format("  load: worker {} to worker {}, {:g} s to {:g} s, {}\n", load.from, load.to,
                     load.start_s, load.end_s,
                     load.rate_mbit ? fmt::format("{:g} Mbit/s", *load.rate_mbit)
                                    : std::string{"as fast as TCP can"});
}

/// A simulated link is not made, so that there are no queues or flow counts to describe.
std::string describe_simulated_link(const LinkProfile& link) {
  auto text = fmt::format(
      "\nlink {} ({}{}), simulated\n  {:g} Mbit/s up, {:g} down", link.name, link.topology,
      link.shape.empty() ? "" : fmt::format(" {}", fmt::join(link.shape, " × ")), link.up_mbit,
      link.down_mbit);
  if (link.impairment.delay_ms > 0)
    text += fmt::format(", {:g} ms one way", link.impairment.delay_ms);
  return text + '\n';
}

std::string describe_link(const Scenario& scenario, const LinkProfile& link) {
  if (!runs_workers(scenario)) return describe_simulated_link(link);
  if (link.is_unknown()) {
    return fmt::format(
        "\nlink {}: the hosts' own links; their rate is measured before the cells run\n",
        link.name);
  }
  const auto request = fabric_request(scenario, link);
  auto text =
      fmt::format("\nlink {} ({})\n{}\n", link.name, link.topology, draw(link.topology, request));
  text += to_text(directions_table(request));
  if (scenario.network.rate_accounting == "wire") {
    text += "  the rates in this table count frames as the shaper does (l2), so they are lower\n";
  }
  if (any_impaired(request)) text += round_trips(request);
  if (link.schedule.any()) text += schedule_text(link.schedule);
  for (const auto& load : link.loads) text += load_text(load);
  return text;
}

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

std::string describe_network(const Scenario& scenario) {
  const auto& network = scenario.network;
  auto text = fmt::format(
      "\nmtu {}, {}, declared rates count {}\n", network.mtu, network.congestion_control,
      network.rate_accounting == "wire" ? "frames with checksum, preamble and gap (wire)"
                                        : "frames (l2)");
  for (const auto& link : network.links) text += describe_link(scenario, link);
  return text;
}

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
