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
using schema::array_of;
using schema::described;

const Json kText = schema::text();
const Json kNumber = schema::any_number();
const Json kNumberOrNull = schema::number_or_null();
const Json kCount = schema::integer_from(0);
const Json kBoolean{{"type", "boolean"}};

const WrittenKeys<Verdict> kVerdictKeys{{"word", &Verdict::word, kText},
                                        {"reasons", &Verdict::reasons, array_of(kText)}};

const WrittenKeys<CellResult> kCellKeys{
    {"label", &CellResult::label, kText},
    {"seed", &CellResult::seed, {{"type", "integer"}}},
    {"status", &CellResult::status, kText},
    {"reason", &CellResult::reason, kText},
    {"link", [](const CellResult& cell) { return written(kVerdictKeys, cell.link_verdict); },
     schema_of(kVerdictKeys)},
    {"host", [](const CellResult& cell) { return written(kVerdictKeys, cell.host_verdict); },
     schema_of(kVerdictKeys)},
    {"link_probe", &CellResult::link_probe, kNumberOrNull},
    {"cpu_idle", &CellResult::cpu_idle, kNumberOrNull},
    {"cpu_softirq", &CellResult::cpu_softirq, kNumberOrNull},
    {"cpu_pressure", &CellResult::cpu_pressure, kNumberOrNull},
    {"scheduling_floor_ms", &CellResult::scheduling_floor_ms, kNumber},
    {"retransmits", &CellResult::retransmits, kCount},
    {"dropped_packets", &CellResult::dropped_packets, kCount},
    {"real_time", &CellResult::real_time, kBoolean}};

/// A flow, and the probe that it is of.
struct FlowOfProbe {
  const LinkProbe& probe;
  const ProbedFlow& flow;
};

const WrittenKeys<FlowOfProbe> kFlowKeys{
    {"from", [](const FlowOfProbe& of) { return of.flow.path.from; }, kCount},
    {"to", [](const FlowOfProbe& of) { return of.flow.path.to; }, kCount},
    {"expected_mbit", [](const FlowOfProbe& of) { return of.flow.expected_mbit; }, kNumber},
    {"goodput_mbit", [](const FlowOfProbe& of) { return of.flow.goodput_mbit; }, kNumber},
    {"rtt_ms", [](const FlowOfProbe& of) { return json_fields::written(of.flow.rtt_ms); },
     kNumberOrNull},
    {"expected_rtt_ms", [](const FlowOfProbe& of) { return of.flow.expected_rtt_ms; }, kNumber},
    {"off", [](const FlowOfProbe& of) { return record::is_off(of.probe, of.flow); },
     described(kBoolean, "whether this flow counts against the link")}};

Json flows_json(const LinkProbe& probe) {
  Json flows = Json::array();
  for (const auto& flow : probe.flows) {
    flows.push_back(written(kFlowKeys, FlowOfProbe{probe, flow}));
  }
  return flows;
}

const WrittenKeys<LinkProbe> kProbeKeys{
    {"when", &LinkProbe::when, kText},
    {"reference", &LinkProbe::reference, kNumber},
    {"calibrated", &LinkProbe::calibrated, kBoolean},
    {"failure", &LinkProbe::failure, kText},
    {"reasons", [](const LinkProbe& probe) { return record::reasons(probe); }, array_of(kText)},
    {"worst",
     [](const LinkProbe& probe) { return json_fields::written(record::worst_ratio(probe)); },
     kNumberOrNull},
    {"flows", flows_json, array_of(schema_of(kFlowKeys))}};

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
                            if (probe.link == link) probes.push_back(written(kProbeKeys, probe));
                          });
  }
  return probes;
}

Json cells_over(const FigureSource& source, const std::string& link) {
  Json cells = Json::array();
  for (const auto& run : source.runs) {
    for (const auto& cell : run.result.cells) {
      if (cell.link == link) cells.push_back(written(kCellKeys, cell));
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
  return schema::whole_object({{"link", kText},
                               {"description", kText},
                               {"cells", array_of(schema_of(kCellKeys))},
                               {"probes", array_of(schema_of(kProbeKeys))}});
}

Json environments(const std::vector<store::NamedResult>& runs) {
  Json all = Json::array();
  for (const auto& run : runs) {
    all.push_back({{"path", run.path}, {"manifest", environment_of(run)}});
  }
  return all;
}

}  // namespace pacbench::figures
