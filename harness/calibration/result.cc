#include "harness/calibration/result.h"

#include <fmt/format.h>

#include <cmath>

namespace pacbench::calibration {
namespace {

Json to_json(const Circumstances& now) {
  return {{"idle_share", now.idle_share},
          {"softirq_share", now.softirq_share},
          {"cpu_pressure", now.cpu_pressure},
          {"retransmits", now.retransmits},
          {"dropped_packets", now.dropped}};
}

Circumstances circumstances_of(const Json& node) {
  return {node.at("idle_share"), node.at("softirq_share"), node.at("cpu_pressure"),
          node.at("retransmits"), node.at("dropped_packets")};
}

Json to_json(const Row& row, const Calibration& calibration) {
  const auto ratio = row.ratio(calibration.network);
  Json node{
      {"rate_mbit", row.subject.rate_mbit},         {"quantity", name_of(row.subject.quantity)},
      {"shaped", name_of(row.subject.shaped)},      {"bytes", row.subject.bytes},
      {"unit", unit_of(row.subject.quantity)},      {"measured", row.measured},
      {"median", statistics::median(row.measured)}, {"circumstances", to_json(row.circumstances)},
      {"reasons", reasons(row, calibration)}};
  if (const auto exact = ideal(row.subject, calibration.network)) {
    node["ideal"] = *exact;
    node["ratio"] = {
        {"median", ratio.median}, {"minimum", ratio.minimum}, {"maximum", ratio.maximum}};
  }
  if (const auto least = least_share(row.subject, calibration.network)) node["least"] = *least;
  if (const auto promised = aim(row.subject)) node["aim"] = *promised;
  if (const auto met = row.met(calibration.network)) {
    node["met"] = *met;
  }
  return node;
}

Row row_of(const Json& node) {
  return {{node.at("rate_mbit"), quantity_of(node.at("quantity")), shaped_of(node.at("shaped")),
           node.at("bytes")},
          node.at("measured").get<std::vector<double>>(),
          circumstances_of(node.at("circumstances"))};
}

Environment machine_of(const Json& node) {
  return {node.at("kernel"), node.at("cpu"), node.at("cores"), node.at("memory_bytes"),
          node.at("congestion_controls").get<std::vector<std::string>>()};
}

Calibration read(const Json& document) {
  Calibration all;
  all.made = document.at("made");
  all.pacbench = document.at("pacbench");
  all.machine = machine_of(document.at("machine"));
  const auto& network = document.at("network");
  all.network = {network.at("workers"), network.at("mtu"), network.value("topology", "star"),
                 network.value("queue_bytes", std::int64_t{0}), network.value("time_dilation", 1)};
  all.congestion_control = network.at("congestion_control");
  all.repeat = document.at("repeat");
  all.real_time = document.at("real_time");
  for (const auto& row : document.at("rows")) all.rows.push_back(row_of(row));
  return all;
}

}  // namespace

statistics::Spread Row::ratio(const Network& network) const {
  const auto exact = ideal(subject, network);
  if (!exact) return statistics::spread(measured);
  auto ratios = measured;
  for (auto& value : ratios) value /= *exact;
  return statistics::spread(ratios);
}

std::optional<bool> Row::met(const Network& network) const {
  const auto promised = aim(subject);
  const auto middle = ratio(network).median;
  if (!promised) {
    const auto least = least_share(subject, network);
    return least ? std::optional{middle >= *least} : std::nullopt;
  }
  return ideal(subject, network) ? std::abs(middle - 1) <= *promised : middle <= *promised;
}

Json to_json(const Calibration& calibration) {
  auto rows = Json::array();
  for (const auto& row : calibration.rows) rows.push_back(to_json(row, calibration));
  return {{"version", Calibration::kVersion},
          {"made", calibration.made},
          {"pacbench", calibration.pacbench},
          {"machine", to_json(calibration.machine)},
          {"network",
           {{"name", "pacbench"},
            {"workers", calibration.network.workers},
            {"mtu", calibration.network.mtu},
            {"topology", calibration.network.topology},
            {"queue_bytes", calibration.network.queue_bytes},
            {"time_dilation", calibration.network.time_dilation},
            {"congestion_control", calibration.congestion_control}}},
          {"repeat", calibration.repeat},
          {"real_time", calibration.real_time},
          {"rows", rows}};
}

Calibration calibration_from_json(const std::string& source, const Json& document) {
  try {
    if (document.at("version") != Calibration::kVersion) {
      throw ConfigError{
          source,
          {{"/version", fmt::format("found {}, expected {}; run pacbench calibrate again",
                                    document.at("version").dump(), Calibration::kVersion)}}};
    }
    return read(document);
  } catch (const Json::exception& error) {
    throw ConfigError{
        source,
        {{"", fmt::format("not a calibration: {}; run pacbench calibrate again", error.what())}}};
  } catch (const std::invalid_argument& error) {
    throw ConfigError{
        source,
        {{"", fmt::format("not a calibration: {}; run pacbench calibrate again", error.what())}}};
  }
}

}  // namespace pacbench::calibration
