#include "spec/link_reader.h"

#include <fmt/format.h>

#include <set>

#include "spec/rate_schedule_reader.h"

namespace pacbench {
namespace {

const Range kRateMbit{kLeastLinkMbit, kMostLinkMbit, false};
const Range kDelayMs{0.0, 10000.0, false};
const Range kTimeS{0.0, 86400.0, false};
// What is lost or overtakes more often than every other time is no network that TCP can use.
const Range kShare{0.0, 0.5, false};
const Range kQueueKb{1.0, 1e6, false};

/// A number that may be missing.
std::optional<double> given(ObjectReader& reader, const char* key, const Range& range) {
  const double value = reader.number_or(key, -1, range);
  return reader.has(key) && value >= 0 ? std::optional{value} : std::nullopt;
}

void check_impairment(ObjectReader& reader, const netd::Impairment& impairment) {
  if (impairment.jitter_ms > impairment.delay_ms) {
    reader.complain("jitter_ms", fmt::format("{} ms around a delay of {} ms would be before the "
                                             "packet was sent; expected at most delay_ms",
                                             impairment.jitter_ms, impairment.delay_ms));
  }
  if (impairment.reorder > 0 && impairment.delay_ms == 0) {
    reader.complain("reorder",
                    "packets overtake those that are delayed, and none is; expected a delay_ms "
                    "beside it");
  }
}

netd::Impairment read_impairment(ObjectReader& reader) {
  const netd::Impairment impairment{
      reader.number_or("delay_ms", 0, kDelayMs), reader.number_or("jitter_ms", 0, kDelayMs),
      reader.number_or("loss", 0, kShare), reader.number_or("reorder", 0, kShare)};
  check_impairment(reader, impairment);
  return impairment;
}

/// rate_mbit is both directions' but for one with a rate of its own; a schedule that moves them
/// gives the rate that they begin with.
void read_rates(ObjectReader& reader, LinkProfile& link) {
  const bool scheduled = reader.has("schedule");
  const bool both = reader.has("up_mbit") && reader.has("down_mbit");
  const double rate_mbit = scheduled || both ? reader.number_or("rate_mbit", 1, kRateMbit)
                                             : reader.number("rate_mbit", kRateMbit);
  link.up_mbit = reader.number_or("up_mbit", rate_mbit, kRateMbit);
  link.down_mbit = reader.number_or("down_mbit", rate_mbit, kRateMbit);
  if (!scheduled) return;
  for (const char* key : {"up_mbit", "down_mbit"}) {
    if (!reader.has(key)) continue;
    reader.complain(key, "a schedule moves both directions of a link together; leave this out");
  }
  if (link.schedule.any()) {
    link.up_mbit = link.down_mbit = link.schedule.steps.front().rate_mbit;
  }
}

/// The impairment of a link with an override: what it does not change is the profile's in a star,
/// and nothing where the profile is of other links.
netd::Impairment overridden(const LinkOverride& entry, netd::Impairment base) {
  base.delay_ms = entry.delay_ms.value_or(base.delay_ms);
  base.jitter_ms = entry.jitter_ms.value_or(base.jitter_ms);
  base.loss = entry.loss.value_or(base.loss);
  base.reorder = entry.reorder.value_or(base.reorder);
  return base;
}

LinkOverride read_override(ObjectReader& reader, int workers) {
  LinkOverride entry;
  entry.worker = static_cast<int>(reader.integer("worker", {0.0, workers - 1.0, false}));
  const auto rate_mbit = given(reader, "rate_mbit", kRateMbit);
  entry.up_mbit = given(reader, "up_mbit", kRateMbit);
  entry.down_mbit = given(reader, "down_mbit", kRateMbit);
  if (!entry.up_mbit) entry.up_mbit = rate_mbit;
  if (!entry.down_mbit) entry.down_mbit = rate_mbit;
  entry.delay_ms = given(reader, "delay_ms", kDelayMs);
  entry.jitter_ms = given(reader, "jitter_ms", kDelayMs);
  entry.loss = given(reader, "loss", kShare);
  entry.reorder = given(reader, "reorder", kShare);
  const auto queue_kb = reader.integer_or("queue_kb", 0, kQueueKb);
  if (queue_kb != 0) entry.queue_kb = queue_kb;
  return entry;
}

void read_overrides(ObjectReader& link_reader, const LinkSurroundings& around, LinkProfile& link) {
  if (!link_reader.has("overrides")) return;
  std::set<int> workers;
  for (auto& reader : link_reader.objects("overrides")) {
    auto entry = read_override(reader, around.workers);
    if (reader.has("worker") && !workers.insert(entry.worker).second) {
      reader.complain("worker", fmt::format("worker {} stands there twice", entry.worker));
    }
    check_impairment(reader,
                     overridden(entry, around.has_edge ? netd::Impairment{} : link.impairment));
    reader.finish();
    link.overrides.push_back(entry);
  }
}

Load read_load(ObjectReader& reader, int workers) {
  const Range some_worker{0.0, workers - 1.0, false};
  Load load;
  load.from = static_cast<int>(reader.integer("from", some_worker));
  load.to = static_cast<int>(reader.integer("to", some_worker));
  load.start_s = reader.number("start_s", kTimeS);
  load.end_s = reader.number("end_s", kTimeS);
  load.rate_mbit = given(reader, "rate_mbit", kRateMbit);
  if (reader.has("from") && reader.has("to") && load.from == load.to) {
    reader.complain("to", fmt::format("found {}, where it comes from; expected another worker: "
                                      "what a worker sends to itself crosses no link",
                                      load.to));
  }
  if (reader.has("start_s") && reader.has("end_s") && load.end_s <= load.start_s) {
    reader.complain(
        "end_s", fmt::format("found {}, expected more than start_s, {}", load.end_s, load.start_s));
  }
  reader.finish();
  return load;
}

}  // namespace

LinkProfile read_link(ObjectReader& reader, const LinkSurroundings& around) {
  LinkProfile link;
  link.name = reader.text("name");
  if (reader.has("schedule")) {
    link.schedule = read_rate_schedule(reader.object("schedule"), around.source);
  }
  read_rates(reader, link);
  link.impairment = read_impairment(reader);
  link.queue_kb = reader.integer_or("queue_kb", 0, kQueueKb);
  link.edge_mbit = reader.number_or("edge_mbit", link.edge_mbit, kRateMbit);
  if (!around.has_edge && reader.has("edge_mbit")) {
    reader.complain("edge_mbit",
                    "in a star the workers' links are those of rate_mbit; leave this out");
  }
  read_overrides(reader, around, link);
  if (reader.has("load")) {
    for (auto& load : reader.objects("load")) {
      link.loads.push_back(read_load(load, around.workers));
    }
  }
  reader.finish();
  return link;
}

}  // namespace pacbench
