#include "harness/path/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "harness/text/table.h"

namespace pacbench::path {
namespace {

constexpr const char* kNone = "–";

std::string percent(double share) { return significant(100 * share) + " %"; }

std::string lost_of(const Datagrams& datagrams) {
  const auto loss = datagrams.loss();
  if (!loss) return "none arrived";
  return fmt::format("{} of {}", *loss == 0 ? "0 %" : percent(*loss), datagrams.sent);
}

/// The first sentences of the report: rates, round trip and loss; then what TCP keeps of each rate
/// both ways at once, where that was measured.
std::string headline(const Measurement& measurement) {
  auto text = fmt::format(
      "This machine sends {} Mbit/s to {} and receives {} Mbit/s from it. The round trip is {} ms",
      significant(link_mbit(*measurement.up.alone, measurement.mtu)), measurement.host,
      significant(link_mbit(*measurement.down.alone, measurement.mtu)),
      significant(measurement.round_trips.median_ms()));
  if (const auto lost = loss(measurement)) {
    text += fmt::format(", and {} of the datagrams are lost", *lost == 0 ? "none" : percent(*lost));
  }
  text += ".\n";
  if (const auto share = ring_share(measurement)) {
    text +=
        fmt::format("TCP both ways at once, as in a ring, keeps at least {:.0f} % of each rate.\n",
                    100 * *share);
  }
  return text;
}

using Cell = std::function<std::string(const Way&)>;

Cell of_rate(const std::optional<TcpRate> Way::*rate, std::int64_t mtu) {
  return [rate, mtu](const Way& way) {
    return way.*rate ? significant(link_mbit(*(way.*rate), mtu)) : kNone;
  };
}

Cell of_datagrams(std::string (*text)(const Datagrams&)) {
  return [text](const Way& way) { return way.datagrams ? text(*way.datagrams) : kNone; };
}

Table table_of(const Measurement& measurement) {
  Table table;
  table.columns = {{"", "", true}, {"", "here to there"}, {"", "there to here"}};
  const auto paced = fmt::format("both paced at {:.0f} % keep", 100 * kPacedShare);
  const auto add = [&](const std::string& name, const Cell& cell) {
    table.rows.push_back({name, cell(measurement.up), cell(measurement.down)});
  };
  add("TCP alone, Mbit/s", of_rate(&Way::alone, measurement.mtu));
  add("TCP both ways at once, Mbit/s", of_rate(&Way::both, measurement.mtu));
  add("both at once keep", [](const Way& way) {
    const auto share = ring_share(way);
    return share ? percent(*share) : kNone;
  });
  add(paced, [](const Way& way) {
    const auto share = paced_share(way);
    return share ? percent(*share) : kNone;
  });
  add("UDP offered, Mbit/s",
      of_datagrams([](const Datagrams& each) { return significant(each.offered_mbit); }));
  add("UDP arrived, Mbit/s",
      of_datagrams([](const Datagrams& each) { return significant(each.rate_mbit); }));
  add("UDP lost", of_datagrams(lost_of));
  add("UDP overtaken",
      of_datagrams([](const Datagrams& each) { return fmt::format("{}", each.reordered); }));
  add("UDP jitter, ms",
      of_datagrams([](const Datagrams& each) { return significant(each.jitter_ms, 2); }));
  return table;
}

Json to_json(const Way& way, std::int64_t mtu) {
  Json node = Json::object();
  if (way.alone) {
    node["rate_mbit"] = link_mbit(*way.alone, mtu);
    node["window_s"] = way.alone->window_s;
  }
  if (way.both) node["both_mbit"] = link_mbit(*way.both, mtu);
  if (const auto share = ring_share(way)) node["ring_share"] = *share;
  if (const auto share = paced_share(way)) node["paced_share"] = *share;
  if (!way.datagrams) return node;
  node["udp"] = {{"offered_mbit", way.datagrams->offered_mbit},
                 {"rate_mbit", way.datagrams->rate_mbit},
                 {"sent", way.datagrams->sent},
                 {"received", way.datagrams->received},
                 {"reordered", way.datagrams->reordered},
                 {"jitter_ms", way.datagrams->jitter_ms}};
  if (const auto loss = way.datagrams->loss()) node["udp"]["loss"] = *loss;
  return node;
}

/// The block as text to paste into a scenario's "network".
std::string block_text(const LinksBlock& block) {
  if (block.network.links.empty()) return "";
  std::string text = "For a scenario's \"network\":\n";
  const Network usual;
  const auto& network = block.network;
  if (network.mtu != usual.mtu) text += fmt::format("\"mtu\": {},\n", network.mtu);
  if (network.congestion_control != usual.congestion_control) {
    text += fmt::format("\"congestion_control\": \"{}\",\n", network.congestion_control);
  }
  return text + "\"links\": " + block.links().dump(2) + '\n';
}

constexpr const char* kName = "measured";
// A shorter round trip is taken as no delay, since links without delay take about this long, too.
constexpr double kLeastRoundTrip_ms = 0.5;
// Below this share the path does not carry both ways at once; links of a scenario always do.
constexpr double kLeastPacedShare = 0.95;
// Without paced flows, TCP that keeps this share shows that the path carries both ways at once.
// Where paced flows show the same, the report says of a smaller share that TCP leaves some of the
// path unused.
constexpr double kLeastRingShare = 0.9;
// Two rates that differ by at most this share of the larger one are taken as one, measured twice.
constexpr double kSameRate = 0.02;
constexpr int kLinksOnTheWay = 2;
constexpr double kMostTaken = 0.02;
constexpr double kMostLoss = 0.5;
// The mean absolute difference of two sums, each of two delays that are uniform within ± 1.
constexpr double kDifferenceOfUniform = 14.0 / 15;

double rounded(double value, int digits) { return std::stod(significant(value, digits)); }

double rate_of(const TcpRate& rate, std::int64_t mtu) {
  return std::clamp(rounded(link_mbit(rate, mtu), 3), kLeastLinkMbit, kMostLinkMbit);
}

void require_rates(const Measurement& measurement) {
  for (const auto* way : {&measurement.up, &measurement.down}) {
    if (way->alone && way->alone->goodput_mbit > 0) continue;
    throw ConfigError{fmt::format("the path to {}", measurement.host), "",
                      "found no rate for at least one direction within --seconds and --max-mb, "
                      "expected one for each; raise both limits"};
  }
}

/// Whether others took so much of this machine that TCP left some of the path unused for that.
bool is_taken(const Measurement& measurement) { return measurement.taken_share > kMostTaken; }

/// Whether the path itself carries less both ways at once than each way alone. TCP that fills both
/// ways shows that it does not. Absent where only paced flows could tell and these, or the rates
/// that the links would get, were not measured, or where pauses of this machine held these flows
/// up.
std::optional<bool> shares_capacity(const Measurement& measurement) {
  const auto ring = ring_share(measurement);
  const auto paced = paced_share(measurement);
  if (paced && *paced < kLeastPacedShare && is_taken(measurement)) return std::nullopt;
  if (ring && paced) return *paced < kLeastPacedShare;
  if (ring.value_or(0) >= kLeastRingShare || paced.value_or(0) >= kLeastPacedShare) return false;
  return std::nullopt;
}

void put_rates(const Measurement& measurement, LinkProfile& link) {
  const auto rate = shares_capacity(measurement).value_or(false) ? &Way::both : &Way::alone;
  link.up_mbit = rate_of(*(measurement.up.*rate), measurement.mtu);
  link.down_mbit = rate_of(*(measurement.down.*rate), measurement.mtu);
  const double most_mbit = std::max(link.up_mbit, link.down_mbit);
  if (std::abs(link.up_mbit - link.down_mbit) > kSameRate * most_mbit) return;
  link.up_mbit = link.down_mbit = rounded((link.up_mbit + link.down_mbit) / 2, 3);
}

void note_both_ways(const Measurement& measurement, std::vector<std::string>& notes) {
  const auto shares = shares_capacity(measurement);
  const auto ring = ring_share(measurement);
  if (!shares && is_taken(measurement)) {
    notes.push_back(fmt::format(
        "Whether the path carries both ways at once is not known: others took {:.0f} % of this "
        "machine's CPUs meanwhile, and after each pause TCP leaves some of a path unused. The "
        "links below have the rates of each way alone; measure again on a quiet machine to know.",
        100 * measurement.taken_share));
  } else if (!shares) {
    notes.push_back(fmt::format(
        "Whether the path carries both ways at once was not measured: the flows that show it were "
        "left out or broken off.{} The links below have the rates of each way alone, which may be "
        "too much for both at once; raise --seconds to know.",
        ring ? fmt::format(" TCP ({}) both ways at once reaches only {:.0f} % of its rate one way "
                           "alone.",
                           measurement.congestion_control, 100 * *ring)
             : ""));
  } else if (ring && *shares) {
    notes.push_back(fmt::format(
        "Both directions share the path's capacity: with both at once, TCP reaches as little as "
        "{:.0f} % of its rate one way alone. Links of a scenario always carry both directions at "
        "once, so the links below have the rates that were measured that way.",
        100 * *ring));
  } else if (ring && *ring < kLeastRingShare) {
    notes.push_back(fmt::format(
        "The path carries both ways at once, as paced flows show. But TCP ({}) then reaches only "
        "{:.0f} % of its rate one way alone: its acknowledgements wait behind the data of the "
        "other way. The links below have the rates of each way alone; acknowledgements may wait "
        "there, too.",
        measurement.congestion_control, 100 * *ring));
  }
}

void put_packets(const Measurement& measurement, LinkProfile& link,
                 std::vector<std::string>& notes) {
  auto& impairment = link.impairment;
  const double round_trip_ms = measurement.round_trips.median_ms();
  if (round_trip_ms >= kLeastRoundTrip_ms) {
    impairment.delay_ms = rounded(round_trip_ms / (2 * kLinksOnTheWay), 3);
  }
  if (const auto lost = loss(measurement); lost && *lost > 0) {
    const double each = 1 - std::pow(1 - *lost, 1.0 / kLinksOnTheWay);
    impairment.loss = std::min(rounded(each, 2), kMostLoss);
  }
  const double jitter = jitter_ms(measurement);
  if (impairment.delay_ms == 0 || jitter < kLeastRoundTrip_ms) return;
  if (reordered(measurement) > 0) {
    impairment.jitter_ms = std::min(rounded(jitter / kDifferenceOfUniform, 2), impairment.delay_ms);
    return;
  }
  notes.push_back(
      fmt::format("The jitter of {} ms is not in the links below: in a scenario jitter makes "
                  "packets overtake each other, and here no packet did.",
                  significant(jitter)));
}

void note_no_datagrams(const Way& way, const char* name, std::vector<std::string>& notes) {
  if (!way.datagrams || way.datagrams->received > 0) return;
  notes.push_back(
      fmt::format("No datagram arrived {}, so loss and jitter of that direction are not known. "
                  "Something on the way blocks UDP; let UDP through to the port that the server "
                  "prints.",
                  name));
}

/// The other machine's link, as seen from the other machine.
LinkOverride other_end(const LinkProfile& link) {
  LinkOverride other;
  other.worker = 1;
  other.up_mbit = link.down_mbit;
  other.down_mbit = link.up_mbit;
  return other;
}

}  // namespace

std::string render_text(const Measurement& measurement, const LinksBlock& block) {
  const auto& trips = measurement.round_trips;
  auto text = headline(measurement) + to_text(table_of(measurement));
  text += fmt::format("\nRound trip in ms: least {}, median {}, 99th percentile {} ({} pings)\n",
                      significant(trips.least_ms()), significant(trips.median_ms()),
                      significant(trips.p99_ms()), trips.ms.size());
  text += fmt::format(
      "MTU {}, TCP {}; rates count frames as scenarios do (l2); {:.1f} s and {:.1f} MB in all\n",
      measurement.mtu, measurement.congestion_control, measurement.seconds, measurement.megabytes);
  for (const auto& note : measurement.stopped_early) text += "Stopped early: " + note + '\n';
  for (const auto& note : block.notes) text += "Note: " + note + '\n';
  return text + '\n' + block_text(block);
}

Json to_json(const Measurement& measurement, const LinksBlock& block) {
  const auto& trips = measurement.round_trips;
  Json document{{"host", measurement.host},
                {"port", measurement.port},
                {"mtu", measurement.mtu},
                {"rate_accounting", block.network.rate_accounting},
                {"congestion_control", measurement.congestion_control},
                {"seconds", measurement.seconds},
                {"megabytes", measurement.megabytes},
                {"up", to_json(measurement.up, measurement.mtu)},
                {"down", to_json(measurement.down, measurement.mtu)},
                {"round_trip_ms",
                 {{"least", trips.least_ms()},
                  {"median", trips.median_ms()},
                  {"p99", trips.p99_ms()},
                  {"pings", trips.ms.size()}}},
                {"stopped_early", measurement.stopped_early},
                {"notes", block.notes},
                {"links", block.links()}};
  if (const auto share = ring_share(measurement)) document["ring_share"] = *share;
  if (const auto share = paced_share(measurement)) document["paced_share"] = *share;
  if (const auto lost = loss(measurement)) document["loss"] = *lost;
  return document;
}

LinksBlock links_block(const Measurement& measurement, int workers) {
  require_rates(measurement);
  LinksBlock block;
  block.network.mtu = static_cast<int>(measurement.mtu);
  const auto& controls = JsonFields<Network>::kControls;
  if (std::ranges::count(controls, measurement.congestion_control) > 0) {
    block.network.congestion_control = measurement.congestion_control;
  }
  if (const auto found = fall(measurement)) {
    block.notes.push_back(fmt::format(
        "The rate {} fell while it was measured, from {} to {} Mbit/s: the path lets a burst "
        "through before it limits the rate. So its steady rate is not known, and there are no "
        "links. Measure again at once, while the burst is used up.",
        found->direction == Direction::kUp ? "from here to there" : "from there to here",
        significant(found->from_mbit), significant(found->to_mbit)));
    return block;
  }
  LinkProfile link;
  link.name = kName;
  put_rates(measurement, link);
  note_both_ways(measurement, block.notes);
  put_packets(measurement, link, block.notes);
  note_no_datagrams(measurement.up, "there", block.notes);
  note_no_datagrams(measurement.down, "here", block.notes);
  if (workers == 2 && link.up_mbit != link.down_mbit) link.overrides.push_back(other_end(link));
  block.network.links.push_back(link);
  return block;
}

}  // namespace pacbench::path
