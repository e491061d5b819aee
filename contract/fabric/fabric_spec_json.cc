#include "contract/fabric/fabric_spec.h"

#include <fmt/format.h>
#include <net/if.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/json/read_keys.h"

namespace pacbench::netd {
namespace {

constexpr double kMostTicks = 4294967295;

void check_impairment(const Impairment& impairment, const std::string& pointer,
                      std::vector<Issue>& issues) {
  if (impairment.jitter_ms > impairment.delay_ms) {
    issues.push_back(
        {pointer + "/jitter_ms", fmt::format("expected at most the delay_ms of {}, found {}",
                                             impairment.delay_ms, impairment.jitter_ms)});
  }
  if (impairment.reorder > 0 && impairment.delay_ms == 0) {
    issues.push_back({pointer + "/reorder",
                      "a reordered packet overtakes delayed ones, but delay_ms is 0 here; expected "
                      "0, or a delay_ms above 0"});
  }
}

/// Whether all links are on switches of the fabric; complains of those that are not.
bool are_on_switches(ObjectReader& reader, const CreateRequest& request) {
  bool all = true;
  const auto check = [&](const char* list, std::size_t index, const char* key, int at) {
    if (at < request.switches) return;
    all = false;
    reader.complain_at(
        fmt::format("{}/{}/{}", list, index, key),
        fmt::format("found {}, expected a number in [0, {}]", at, request.switches - 1));
  };
  for (std::size_t i = 0; i < request.workers.size(); ++i) {
    check("workers", i, "attached_to", request.workers[i].attached_to);
  }
  for (std::size_t i = 0; i < request.trunks.size(); ++i) {
    check("trunks", i, "a", request.trunks[i].a);
    check("trunks", i, "b", request.trunks[i].b);
  }
  return all;
}

/// Follows trunks from `at` and marks the switches that it reaches. Returns false when it reaches a
/// switch twice, since the trunks then close a circle.
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
  return std::find(seen.begin(), seen.end(), false) == seen.end();
}

/// The JSON pointer to a direction: "/workers/3/up" for "worker3.up".
std::string pointer_to(const std::string& direction) {
  const auto dot = direction.find('.');
  const auto digits = direction.find_first_of("0123456789");
  return fmt::format("/{}s/{}/{}", direction.substr(0, digits),
                     direction.substr(digits, dot - digits), direction.substr(dot + 1));
}

/// Whether this looks like a network interface's name, and can be nothing else in a line for `ip`.
bool is_interface_name(const std::string& name) {
  constexpr std::size_t kMost = IFNAMSIZ - 1;
  const auto usual = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '-' || letter == '.' ||
           letter == ':';
  };
  return !name.empty() && name.size() <= kMost &&
         std::isalnum(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), usual);
}

void check_uplink(ObjectReader& reader, const CreateRequest& request) {
  const auto& uplink = *request.uplink;
  for (const auto& [key, name] :
       {std::pair{"uplink/interface", uplink.interface},
        std::pair{"uplink/control_interface", uplink.control_interface}}) {
    if (!is_interface_name(name)) {
      reader.complain_at(key, fmt::format("found \"{}\", expected the name of an interface", name));
    }
  }
  const auto workers = static_cast<int>(request.workers.size());
  if (uplink.worker >= workers) {
    reader.complain_at("uplink/worker", fmt::format("found {}, expected a number in [0, {}]",
                                                    uplink.worker, workers - 1));
  }
  if (request.switches > 1) {
    reader.complain("switches", fmt::format("found {}, expected 1: the network between hosts is "
                                            "the only switch of a fabric with an uplink",
                                            request.switches));
  }
  for (const auto& name : direction_names(request)) {
    if (!find_direction(request, name)->impairment.any()) continue;
    reader.complain_at(
        pointer_to(name).substr(1) + "/impairment",
        "found delay, loss or reordering, which a fabric with an uplink cannot have");
    return;
  }
}

std::string burst_excess(std::int64_t burst_bytes, double rate_mbit) {
  const double burst_s = static_cast<double>(burst_bytes) * 8 / (rate_mbit * 1e6);
  if (burst_s <= kMostTicks * kTick_s) return {};
  return fmt::format(
      "{} bytes take {:.1f} s at {} Mbit/s, or {:.0f} ticks of 64 ns; the kernel can be told at "
      "most {:.0f} ticks ({:.1f} s, here {:.0f} bytes)",
      burst_bytes, burst_s, rate_mbit, burst_s / kTick_s, kMostTicks, kMostTicks * kTick_s,
      kMostTicks * kTick_s * rate_mbit * 1e6 / 8);
}

}  // namespace

std::vector<Issue> contradictions(const CreateRequest& request) {
  std::vector<Issue> issues;
  double slowest_mbit = kMostLinkMbit;
  for (const auto& name : direction_names(request)) {
    slowest_mbit = std::min(slowest_mbit, find_direction(request, name)->rate_mbit);
    check_impairment(find_direction(request, name)->impairment, pointer_to(name) + "/impairment",
                     issues);
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

CreateRequest read_fabric(ObjectReader& reader) {
  CreateRequest request;
  read_keys(reader, request);
  if (request.workers.empty() || request.workers.size() > CreateRequest::kMaxWorkers) {
    reader.complain("workers", fmt::format("expected 1 to {} workers, found {}",
                                           CreateRequest::kMaxWorkers, request.workers.size()));
    request.workers.resize(1);
  }
  if (!are_on_switches(reader, request)) return request;
  if (request.trunks.size() + 1 != static_cast<std::size_t>(request.switches) ||
      !is_tree(request)) {
    reader.complain("trunks",
                    fmt::format("found {} trunks, which do not join {} switches to a tree; "
                                "expected one trunk fewer than switches, and no circle",
                                request.trunks.size(), request.switches));
  }
  if (request.uplink) check_uplink(reader, request);
  return request;
}

}  // namespace pacbench::netd
