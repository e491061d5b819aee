#include <fmt/format.h>

#include <filesystem>

#include "analysis/figures/panels.h"
#include "analysis/report/written_keys.h"
#include "harness/record/link_probe.h"
#include "harness/store/files.h"
#include "harness/store/manifest.h"

namespace pacbench::figures {
namespace {

using record::LinkProbe;
using record::ProbedFlow;
using report::WrittenKeys;
using schema::any_number;
using schema::array_of;
using schema::described;
using schema::number_or_null;
using schema::text;

Json count_schema() { return schema::integer_from(0); }
Json boolean_schema() { return {{"type", "boolean"}}; }

const WrittenKeys<Verdict>& verdict_keys() {
  static const WrittenKeys<Verdict> keys{{"word", &Verdict::word, text()},
                                         {"reasons", &Verdict::reasons, array_of(text())}};
  return keys;
}

const WrittenKeys<CellResult>& cell_keys() {
  static const WrittenKeys<CellResult> keys{
      {"label", &CellResult::label, text()},
      {"seed", &CellResult::seed, {{"type", "integer"}}},
      {"status", &CellResult::status, text()},
      {"reason", &CellResult::reason, text()},
      {"link", [](const CellResult& cell) { return written(verdict_keys(), cell.link_verdict); },
       schema_of(verdict_keys())},
      {"host", [](const CellResult& cell) { return written(verdict_keys(), cell.host_verdict); },
       schema_of(verdict_keys())},
      {"link_probe", &CellResult::link_probe, number_or_null()},
      {"cpu_idle", &CellResult::cpu_idle, number_or_null()},
      {"cpu_softirq", &CellResult::cpu_softirq, number_or_null()},
      {"cpu_pressure", &CellResult::cpu_pressure, number_or_null()},
      {"scheduling_floor_ms", &CellResult::scheduling_floor_ms, any_number()},
      {"retransmits", &CellResult::retransmits, count_schema()},
      {"dropped_packets", &CellResult::dropped_packets, count_schema()},
      {"real_time", &CellResult::real_time, boolean_schema()}};
  return keys;
}

/// A flow, and the probe that it is of.
struct FlowOfProbe {
  const LinkProbe& probe;
  const ProbedFlow& flow;
};

const WrittenKeys<FlowOfProbe>& flow_keys() {
  static const WrittenKeys<FlowOfProbe> keys{
      {"from", [](const FlowOfProbe& of) { return of.flow.path.from; }, count_schema()},
      {"to", [](const FlowOfProbe& of) { return of.flow.path.to; }, count_schema()},
      {"expected_mbit", [](const FlowOfProbe& of) { return of.flow.expected_mbit; }, any_number()},
      {"goodput_mbit", [](const FlowOfProbe& of) { return of.flow.goodput_mbit; }, any_number()},
      {"rtt_ms", [](const FlowOfProbe& of) { return json_fields::written(of.flow.rtt_ms); },
       number_or_null()},
      {"expected_rtt_ms", [](const FlowOfProbe& of) { return of.flow.expected_rtt_ms; },
       any_number()},
      {"off", [](const FlowOfProbe& of) { return record::is_off(of.probe, of.flow); },
       described(boolean_schema(), "whether this flow counts against the link")}};
  return keys;
}

Json flows_json(const LinkProbe& probe) {
  Json flows = Json::array();
  for (const auto& flow : probe.flows) {
    flows.push_back(written(flow_keys(), FlowOfProbe{probe, flow}));
  }
  return flows;
}

const WrittenKeys<LinkProbe>& probe_keys() {
  static const WrittenKeys<LinkProbe> keys{
      {"when", &LinkProbe::when, text()},
      {"reference", &LinkProbe::reference, any_number()},
      {"calibrated", &LinkProbe::calibrated, boolean_schema()},
      {"failure", &LinkProbe::failure, text()},
      {"reasons", [](const LinkProbe& probe) { return record::reasons(probe); }, array_of(text())},
      {"worst",
       [](const LinkProbe& probe) { return json_fields::written(record::worst_ratio(probe)); },
       number_or_null()},
      {"flows", flows_json, array_of(schema_of(flow_keys()))}};
  return keys;
}

LinkProbe parse_probe(const std::string& path, std::size_t number, const Json& event) {
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
                            if (probe.link == link) probes.push_back(written(probe_keys(), probe));
                          });
  }
  return probes;
}

Json cells_over(const FigureSource& source, const std::string& link) {
  Json cells = Json::array();
  for (const auto& run : source.runs) {
    for (const auto& cell : run.result.cells) {
      if (cell.link == link) cells.push_back(written(cell_keys(), cell));
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

Json fidelity_schema() {
  return schema::whole_object({{"link", text()},
                               {"description", text()},
                               {"cells", array_of(schema_of(cell_keys()))},
                               {"probes", array_of(schema_of(probe_keys()))}});
}

Json environments(const std::vector<store::NamedResult>& runs) {
  Json all = Json::array();
  for (const auto& run : runs) {
    all.push_back({{"path", run.path}, {"manifest", environment_of(run)}});
  }
  return all;
}

}  // namespace pacbench::figures
