#include "harness/calibration/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>

#include "base/files.h"
#include "base/sha256.h"
#include "harness/machine/programs.h"

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
    node["ratio"] = statistics::to_json(ratio);
  }
  if (const auto least = least_share(row.subject, calibration.network)) node["least"] = *least;
  if (const auto promised = aim(row.subject)) node["aim"] = *promised;
  if (const auto met = row.met(calibration.network)) node["met"] = *met;
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

constexpr double kBusyIdleShare = 0.1;
constexpr double kPressed = 0.1;
constexpr double kFloorMultiple = 5;

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

// Each rule looks at the circumstances recorded with the measurement. When no rule applies, the
// text says that no reason was found, or that none was looked for.
std::vector<std::string> reasons(const Row& row, const Calibration& calibration) {
  if (row.met(calibration.network).value_or(true)) return {};
  std::vector<std::string> found;
  const auto ratio = row.ratio(calibration.network).median;
  const bool is_time = unit_of(row.subject.quantity) == "ms";
  const bool fast = ideal(row.subject, calibration.network) && (is_time == (ratio < 1));
  const auto& now = row.circumstances;
  if (const auto least = least_share(row.subject, calibration.network); fast && least) {
    found.push_back(fmt::format(
        "HTB sends the last packet before it has tokens for all of it, and a full bucket "
        "at once: up to {:.1f} % of this message cost no time",
        100 * (1 - *least)));
  }
  if (!fast && now.idle_share < kBusyIdleShare) {
    found.push_back(fmt::format("the CPUs were {:.0f} % idle, softirq took {:.0f} %",
                                100 * now.idle_share, 100 * now.softirq_share));
  }
  if (!fast && now.cpu_pressure > kPressed) {
    found.push_back(fmt::format("tasks waited for a CPU in {:.0f} % of the time (PSI)",
                                100 * now.cpu_pressure));
  }
  if (!fast && now.dropped + now.retransmits > 0) {
    found.push_back(fmt::format("the links' queues dropped {} packets, TCP sent {} segments again",
                                now.dropped, now.retransmits));
  }
  const auto floor = std::ranges::find_if(calibration.rows, [&](const Row& other) {
    return other.subject.quantity == Quantity::kFloor &&
           other.subject.rate_mbit == row.subject.rate_mbit;
  });
  if (!fast && floor != calibration.rows.end() && row.subject.quantity == Quantity::kAllReduce &&
      statistics::median(row.measured) < kFloorMultiple * statistics::median(floor->measured)) {
    found.push_back(
        fmt::format("scheduling alone takes {:.1f} ms", statistics::median(floor->measured)));
  }
  if (found.empty()) {
    found.emplace_back(
        fast ? "the measurement is too fast, and pacbench looks for no reason for that"
             : "no reason found in the CPUs' load, dropped packets or segments sent again");
  }
  return found;
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
    if (document.at("version") == Calibration::kVersion) return read(document);
  } catch (const std::exception& error) {
    throw ConfigError{
        source, "",
        fmt::format("not a calibration: {}; run pacbench calibrate again", error.what())};
  }
  throw ConfigError{source, "/version",
                    fmt::format("found {}, expected {}; run pacbench calibrate again",
                                document.at("version").dump(), Calibration::kVersion)};
}

std::string saved_path(const Environment& machine) {
  auto identity = fmt::format("{}\n{}\n{}", machine.cpu, machine.cores, machine.kernel);
  if (machine.cpu_quota && *machine.cpu_quota < machine.cores) {
    identity += fmt::format("\n{:.3g} CPUs' time", *machine.cpu_quota);
  }
  return fmt::format("{}/calibration/{}.json", data_folder(), sha256(identity).substr(0, 16));
}

void save(const Calibration& calibration) {
  const auto path = saved_path(calibration.machine);
  std::filesystem::create_directories(std::filesystem::path{path}.parent_path());
  write_file_atomically(path, to_json(calibration).dump(2) + '\n');
}

std::optional<double> calibrated_ring_share(double rate_mbit, int workers) {
  const auto path = saved_path(Environment::read());
  if (!std::filesystem::exists(path)) return std::nullopt;
  return ring_share(calibration_from_json(path, read_json_file(path)), rate_mbit, workers);
}

std::optional<double> ring_share(const Calibration& calibration, double rate_mbit, int workers) {
  if (workers > calibration.network.workers) return std::nullopt;
  std::map<double, double> shares;
  for (const auto& row : calibration.rows) {
    if (row.subject.quantity == Quantity::kSlowestOfRing && row.subject.shaped == Shaped::kBoth) {
      shares[row.subject.rate_mbit] = row.ratio(calibration.network).median;
    }
  }
  const auto above = shares.lower_bound(rate_mbit);
  if (above == shares.end()) return std::nullopt;
  if (above == shares.begin()) return above->second;
  const auto below = std::prev(above);
  const double way = std::log(rate_mbit / below->first) / std::log(above->first / below->first);
  return below->second + way * (above->second - below->second);
}

}  // namespace pacbench::calibration
