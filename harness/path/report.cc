#include "harness/path/report.h"

#include <fmt/format.h>

#include <functional>

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

}  // namespace pacbench::path
