#include "spec/fabric_spec_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/queue_length.h"

namespace pacbench::netd {
namespace {

const Range kShare{0.0, 1.0, false};
const Range kDelayMs{0.0, 10000.0, false};
constexpr double kMostQueueBytes = 1e9;
constexpr double kMostBurstBytes = 1e8;
constexpr double kMostTicks = 4294967295;

Json to_json(const Direction& direction) {
  return {{"rate_mbit", direction.rate_mbit},
          {"queue_bytes", direction.queue_bytes},
          {"impairment", to_json(direction.impairment)}};
}

Impairment read_impairment(ObjectReader reader) {
  Impairment impairment{reader.number("delay_ms", kDelayMs), reader.number("jitter_ms", kDelayMs),
                        reader.number("loss", kShare), reader.number("reorder", kShare)};
  if (impairment.jitter_ms > impairment.delay_ms) {
    reader.complain("jitter_ms", fmt::format("expected at most delay_ms, {}, found {}",
                                             impairment.delay_ms, impairment.jitter_ms));
  }
  if (impairment.reorder > 0 && impairment.delay_ms == 0) {
    reader.complain("reorder",
                    "a packet overtakes others by not being delayed itself; expected "
                    "0, or a delay_ms above 0 beside it");
  }
  reader.finish();
  return impairment;
}

Direction read_direction(ObjectReader reader) {
  Direction direction;
  direction.rate_mbit = reader.number("rate_mbit", {kLeastRateMbit, kMostRateMbit, false});
  direction.queue_bytes = reader.integer("queue_bytes", {0.0, kMostQueueBytes, false});
  direction.impairment = read_impairment(reader.object("impairment"));
  reader.finish();
  return direction;
}

Shaper read_shaper(ObjectReader reader) {
  Shaper shaper;
  shaper.burst_bytes = reader.integer("burst_bytes", {1.0, kMostBurstBytes, false});
  shaper.ceil_burst_bytes = reader.integer("ceil_burst_bytes", {1.0, kMostBurstBytes, false});
  shaper.gso_max_bytes = reader.integer("gso_max_bytes", {1.0, 65536.0, false});
  reader.finish();
  return shaper;
}

/// Follows trunks from `at`, counting switches; a switch seen twice closes a circle.
bool visit(const CreateRequest& request, int at, std::size_t came_by, std::vector<bool>& seen) {
  if (seen[static_cast<std::size_t>(at)]) return false;
  seen[static_cast<std::size_t>(at)] = true;
  for (std::size_t i = 0; i < request.trunks.size(); ++i) {
    const auto& trunk = request.trunks[i];
    if (i == came_by || (trunk.a != at && trunk.b != at)) continue;
    if (!visit(request, trunk.a == at ? trunk.b : trunk.a, i, seen)) return false;
  }
  return true;
}

bool is_tree(const CreateRequest& request) {
  std::vector<bool> seen(static_cast<std::size_t>(request.switches));
  if (!visit(request, 0, request.trunks.size(), seen)) return false;
  for (const bool reached : seen) {
    if (!reached) return false;
  }
  return true;
}

/// "/workers/3/up" for "worker3.up".
std::string pointer_to(const std::string& direction) {
  const auto dot = direction.find('.');
  const auto digits = direction.find_first_of("0123456789");
  return fmt::format("/{}s/{}/{}", direction.substr(0, digits),
                     direction.substr(digits, dot - digits), direction.substr(dot + 1));
}

std::string burst_excess(std::int64_t burst_bytes, double rate_mbit) {
  const double burst_s = static_cast<double>(burst_bytes) * 8 / (rate_mbit * 1e6);
  if (burst_s <= kMostTicks * kTick_s) return {};
  return fmt::format(
      "{} bytes last {:.1f} s at {} Mbit/s, {:.0f} ticks of 64 ns; the kernel holds at most {:.0f} "
      "({:.1f} s, here {:.0f} bytes)",
      burst_bytes, burst_s, rate_mbit, burst_s / kTick_s, kMostTicks, kMostTicks * kTick_s,
      kMostTicks * kTick_s * rate_mbit * 1e6 / 8);
}

}  // namespace

std::vector<Issue> contradictions(const CreateRequest& request) {
  std::vector<Issue> issues;
  double slowest_mbit = kMostRateMbit;
  for (const auto& name : direction_names(request)) {
    slowest_mbit = std::min(slowest_mbit, find_direction(request, name)->rate_mbit);
    const auto shortage = queue_shortage(request, name);
    if (!shortage.empty()) issues.push_back({pointer_to(name) + "/queue_bytes", shortage});
  }
  const auto& shaper = request.shaper;
  const auto burst = burst_excess(shaper.burst_bytes, slowest_mbit);
  if (!burst.empty()) issues.push_back({"/shaper/burst_bytes", burst});
  const auto ceil_burst = burst_excess(shaper.ceil_burst_bytes, slowest_mbit);
  if (!ceil_burst.empty()) issues.push_back({"/shaper/ceil_burst_bytes", ceil_burst});
  return issues;
}

Json to_json(const Impairment& impairment) {
  return {{"delay_ms", impairment.delay_ms},
          {"jitter_ms", impairment.jitter_ms},
          {"loss", impairment.loss},
          {"reorder", impairment.reorder}};
}

Json fabric_to_json(const CreateRequest& request) {
  Json workers = Json::array();
  for (const auto& link : request.workers) {
    workers.push_back({{"attached_to", link.attached_to},
                       {"up", to_json(link.up)},
                       {"down", to_json(link.down)}});
  }
  Json trunks = Json::array();
  for (const auto& trunk : request.trunks) {
    trunks.push_back({{"a", trunk.a},
                      {"b", trunk.b},
                      {"forward", to_json(trunk.forward)},
                      {"backward", to_json(trunk.backward)}});
  }
  return {{"workers", workers},
          {"switches", request.switches},
          {"trunks", trunks},
          {"mtu", request.mtu},
          {"congestion_control", request.congestion_control},
          {"shaper",
           {{"burst_bytes", request.shaper.burst_bytes},
            {"ceil_burst_bytes", request.shaper.ceil_burst_bytes},
            {"gso_max_bytes", request.shaper.gso_max_bytes}}}};
}

CreateRequest read_fabric(ObjectReader& reader) {
  CreateRequest request;
  request.switches =
      static_cast<int>(reader.integer("switches", {1.0, CreateRequest::kMaxSwitches, false}));
  const Range some_switch{0.0, request.switches - 1.0, false};
  for (auto& link : reader.objects("workers")) {
    request.workers.push_back({static_cast<int>(link.integer("attached_to", some_switch)),
                               read_direction(link.object("up")),
                               read_direction(link.object("down"))});
    link.finish();
  }
  if (request.workers.empty() || request.workers.size() > CreateRequest::kMaxWorkers) {
    reader.complain("workers", fmt::format("expected 1 to {} workers, found {}",
                                           CreateRequest::kMaxWorkers, request.workers.size()));
    request.workers.resize(1);
  }
  for (auto& trunk : reader.objects("trunks")) {
    request.trunks.push_back({static_cast<int>(trunk.integer("a", some_switch)),
                              static_cast<int>(trunk.integer("b", some_switch)),
                              read_direction(trunk.object("forward")),
                              read_direction(trunk.object("backward"))});
    trunk.finish();
  }
  request.mtu = static_cast<int>(reader.integer("mtu", {576.0, 65535.0, false}));
  request.congestion_control = reader.choice("congestion_control", {"cubic", "reno", "bbr"});
  request.shaper = read_shaper(reader.object("shaper"));
  if (request.trunks.size() + 1 != static_cast<std::size_t>(request.switches) ||
      !is_tree(request)) {
    reader.complain("trunks", fmt::format("{} trunks do not join {} switches to a tree",
                                          request.trunks.size(), request.switches));
  }
  return request;
}

}  // namespace pacbench::netd
