#include "spec/fabric_spec_json.h"

#include <fmt/format.h>

namespace pacbench::netd {
namespace {

const Range kShare{0.0, 1.0, false};
const Range kDelayMs{0.0, 10000.0, false};
constexpr double kMostQueueBytes = 1e9;
constexpr double kMostBurstBytes = 1e8;

Json to_json(const Direction& direction) {
  return {{"rate_mbit", direction.rate_mbit},
          {"queue_bytes", direction.queue_bytes},
          {"impairment", to_json(direction.impairment)}};
}

Impairment read_impairment(ObjectReader reader) {
  Impairment impairment{reader.number("delay_ms", kDelayMs), reader.number("jitter_ms", kDelayMs),
                        reader.number("loss", kShare), reader.number("reorder", kShare)};
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

}  // namespace

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
