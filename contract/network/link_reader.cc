#include "contract/network/link_reader.h"

#include <fmt/format.h>

#include <set>

#include "base/json/read_keys.h"
#include "contract/network/network_keys.h"
#include "contract/network/rate_schedule_reader.h"

namespace pacbench {
namespace {

using link_bounds::kRateMbit;

/// Reads a number that may be missing.
std::optional<double> given(ObjectReader& reader, const char* key, const Range& range) {
  const double value = reader.number_or(key, -1, range);
  return reader.has(key) && value >= 0 ? std::optional{value} : std::nullopt;
}

void check_impairment(ObjectReader& reader, const netd::Impairment& impairment) {
  if (impairment.jitter_ms > impairment.delay_ms) {
    reader.complain("jitter_ms", fmt::format("found {} ms, more than the delay of {} ms: a packet "
                                             "cannot arrive before it is sent; expected at most "
                                             "delay_ms",
                                             impairment.jitter_ms, impairment.delay_ms));
  }
  if (impairment.reorder > 0 && impairment.delay_ms == 0) {
    reader.complain("reorder",
                    "a reordered packet overtakes delayed ones, but delay_ms is 0 here; expected a "
                    "delay_ms above 0");
  }
}

/// Reads the rates of both directions. A direction without a rate of its own has rate_mbit. With a
/// schedule both begin with the rate of its first step.
void read_rates(ObjectReader& reader, LinkProfile& link) {
  if (link.measured && !reader.has("rate_mbit") && !reader.has("up_mbit")) return;
  const bool scheduled = reader.has("schedule");
  const bool both = reader.has("up_mbit") && reader.has("down_mbit");
  const double rate_mbit = scheduled || both ? reader.number_or("rate_mbit", 1, kRateMbit)
                                             : reader.number("rate_mbit", kRateMbit);
  link.up_mbit = reader.number_or("up_mbit", rate_mbit, kRateMbit);
  link.down_mbit = reader.number_or("down_mbit", rate_mbit, kRateMbit);
  if (!scheduled) return;
  for (const char* key : {"up_mbit", "down_mbit"}) {
    if (!reader.has(key)) continue;
    reader.complain(key,
                    "found a rate of one direction beside a schedule, which sets the rate of both; "
                    "leave this out");
  }
  if (link.schedule.any()) {
    link.up_mbit = link.down_mbit = link.schedule.steps.front().rate_mbit;
  }
}

/// Returns the impairment of a worker's link with an override. Values that the override lacks come
/// from `base`. In a star `base` is the profile's impairment; where the profile describes links
/// between switches, `base` has no impairment.
netd::Impairment overridden(const LinkOverride& entry, netd::Impairment base) {
  base.delay_ms = entry.delay_ms.value_or(base.delay_ms);
  base.jitter_ms = entry.jitter_ms.value_or(base.jitter_ms);
  base.loss = entry.loss.value_or(base.loss);
  base.reorder = entry.reorder.value_or(base.reorder);
  return base;
}

/// Complains of a worker that the scenario does not have.
void check_worker(ObjectReader& reader, const std::string& pointer, int worker, int workers) {
  if (worker < workers) return;
  reader.complain_at(pointer,
                     fmt::format("found {}, expected a number in [0, {}]", worker, workers - 1));
}

LinkOverride read_override(ObjectReader& reader, int workers) {
  LinkOverride entry;
  read_keys(reader, entry);
  check_worker(reader, "worker", entry.worker, workers);
  const auto rate_mbit = given(reader, "rate_mbit", kRateMbit);
  entry.up_mbit = given(reader, "up_mbit", kRateMbit);
  entry.down_mbit = given(reader, "down_mbit", kRateMbit);
  if (!entry.up_mbit) entry.up_mbit = rate_mbit;
  if (!entry.down_mbit) entry.down_mbit = rate_mbit;
  return entry;
}

void read_overrides(ObjectReader& link_reader, const LinkSurroundings& around, LinkProfile& link) {
  if (!link_reader.has("overrides")) return;
  std::set<int> workers;
  for (auto& reader : link_reader.objects("overrides")) {
    auto entry = read_override(reader, around.workers);
    if (reader.has("worker") && !workers.insert(entry.worker).second) {
      reader.complain("worker",
                      fmt::format("found worker {} twice, expected it once", entry.worker));
    }
    check_impairment(reader,
                     overridden(entry, around.has_edge ? netd::Impairment{} : link.impairment));
    reader.finish();
    link.overrides.push_back(entry);
  }
}

void check_loads(ObjectReader& reader, const std::vector<Load>& loads, int workers) {
  for (std::size_t i = 0; i < loads.size(); ++i) {
    check_worker(reader, fmt::format("load/{}/from", i), loads[i].from, workers);
    check_worker(reader, fmt::format("load/{}/to", i), loads[i].to, workers);
  }
}

/// Complains of keys that would change a measured link, which exists already.
void check_measured(ObjectReader& reader, const LinkSurroundings& around) {
  for (const char* key : {"delay_ms", "jitter_ms", "loss", "reorder", "queue_kb", "overrides",
                          "schedule", "load", "edge_mbit"}) {
    if (!reader.has(key)) continue;
    reader.complain(key, "a measured link is used as it is and cannot be changed; leave this out");
  }
  if (around.has_edge) {
    reader.complain("measured",
                    "found a measured link in a network of several switches, expected a star: only "
                    "each node's own link is measured");
  }
}

}  // namespace

LinkProfile read_link(ObjectReader& reader, const LinkSurroundings& around) {
  LinkProfile link;
  read_keys(reader, link);
  if (reader.has("schedule")) {
    link.schedule = read_rate_schedule(reader.object("schedule"), around.source);
  }
  if (link.measured) check_measured(reader, around);
  read_rates(reader, link);
  check_impairment(reader, link.impairment);
  if (!around.has_edge && reader.has("edge_mbit")) {
    reader.complain("edge_mbit",
                    "found edge_mbit in a topology where rate_mbit is the rate of the "
                    "workers' links; leave edge_mbit out");
  }
  read_overrides(reader, around, link);
  check_loads(reader, link.loads, around.workers);
  reader.finish();
  return link;
}

}  // namespace pacbench
