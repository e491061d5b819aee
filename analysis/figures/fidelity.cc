#include "analysis/figures/fidelity.h"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/figures/cells.h"
#include "harness/record/link_probe.h"
#include "harness/store/files.h"
#include "harness/store/manifest.h"

namespace pacbench::figures {
namespace {

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json to_json(const Verdict& verdict) {
  return {{"word", verdict.word}, {"reasons", verdict.reasons}};
}

Json cell_json(const CellResult& cell) {
  return {{"label", cell.label},
          {"seed", cell.seed},
          {"status", cell.status},
          {"reason", cell.reason},
          {"link", to_json(cell.link_verdict)},
          {"host", to_json(cell.host_verdict)},
          {"link_probe", or_null(cell.link_probe)},
          {"cpu_idle", or_null(cell.cpu_idle)},
          {"cpu_softirq", or_null(cell.cpu_softirq)},
          {"cpu_pressure", or_null(cell.cpu_pressure)},
          {"scheduling_floor_ms", cell.scheduling_floor_ms},
          {"retransmits", cell.retransmits},
          {"dropped_packets", cell.dropped_packets},
          {"real_time", cell.real_time}};
}

Json probe_json(const record::LinkProbe& probe) {
  Json flows = Json::array();
  for (const auto& flow : probe.flows) {
    flows.push_back({{"from", flow.path.from},
                     {"to", flow.path.to},
                     {"expected_mbit", flow.expected_mbit},
                     {"goodput_mbit", flow.goodput_mbit},
                     {"rtt_ms", or_null(flow.rtt_ms)},
                     {"expected_rtt_ms", flow.expected_rtt_ms},
                     {"off", record::is_off(probe, flow)}});
  }
  return {{"when", probe.when},
          {"reference", probe.reference},
          {"calibrated", probe.calibrated},
          {"failure", probe.failure},
          {"reasons", record::reasons(probe)},
          {"worst", or_null(record::worst_ratio(probe))},
          {"flows", std::move(flows)}};
}

record::LinkProbe parse_probe(const std::string& path, std::size_t number, const Json& event) {
  try {
    return record::link_probe_from_json(event);
  } catch (const Json::exception& error) {
    throw ConfigError{fmt::format("{}:{}", path, number),
                      {{"", fmt::format("expected a probe: {}", error.what())}}};
  }
}

Json probes_of(const FigureSource& source, const std::string& link) {
  Json probes = Json::array();
  for (const auto& run : source.runs) {
    const auto path = run.folder() + "/probes.jsonl";
    store::for_each_event(path, store::Broken::kRefuse,
                          [&](const Json& event, const std::string&, std::size_t number) {
                            const auto probe = parse_probe(path, number, event);
                            if (probe.link == link) probes.push_back(probe_json(probe));
                          });
  }
  return probes;
}

Json cells_over(const FigureSource& source, const std::string& link) {
  Json cells = Json::array();
  for (const auto& run : source.runs) {
    for (const auto& cell : run.result.cells) {
      if (cell.link == link) cells.push_back(cell_json(cell));
    }
  }
  return cells;
}

Json environment_of(const store::NamedResult& run) {
  if (!std::filesystem::exists(run.folder() + "/manifest.json")) return nullptr;
  auto manifest = to_json(store::read_manifest(run.folder()));
  manifest.erase("scenario");
  return manifest;
}

}  // namespace

Json fidelity(const FigureSource& source) {
  Json links = Json::array();
  for (const auto& link : source.section.links) {
    links.push_back({{"link", link.link},
                     {"description", link.words},
                     {"cells", cells_over(source, link.link)},
                     {"probes", probes_of(source, link.link)}});
  }
  return links;
}

Json environments(const std::vector<store::NamedResult>& runs) {
  Json all = Json::array();
  for (const auto& run : runs) {
    all.push_back({{"path", run.path}, {"manifest", environment_of(run)}});
  }
  return all;
}

}  // namespace pacbench::figures
