#include "harness/run/network_audit.h"

#include <fmt/format.h>

#include "harness/probes/prober.h"
#include "harness/record/cell_result.h"

namespace pacbench::run {
namespace {

std::string told(const record::LinkProbe& probe) {
  const auto words = record::reasons(probe);
  const auto ratio = record::worst_ratio(probe);
  auto line = fmt::format("link {}, probe {} the cells: {}", probe.link, probe.when,
                          words.empty() ? "ok" : "SUSPECT");
  if (ratio) {
    line += fmt::format(
        ", the worst flow reached {:.3f} of what its rate carries (a paced flow: of what it "
        "offered)",
        *ratio);
  }
  for (const auto& reason : words) line += "\n  " + reason;
  for (const auto& left_out : record::disturbances(probe)) line += "\n  " + left_out;
  return line;
}

}  // namespace

NetworkAudit::NetworkAudit(const Programs& programs, const Scenario& scenario,
                           const store::RunFolder& folder, const Interrupt& interrupt,
                           run::Progress& progress, Meter* meter)
    : programs_{programs},
      scenario_{scenario},
      folder_{folder},
      interrupt_{interrupt},
      progress_{progress},
      meter_{meter},
      book_{folder.path(), store::Broken::kEnd} {}

void NetworkAudit::before(const std::vector<plan::Cell>& cells) { probe(cells, "before"); }

void NetworkAudit::after(const std::vector<plan::Cell>& cells) {
  probe(cells, "after");
  for (const auto& cell : cells) {
    finish(cell, record::read_record(folder_.cell_folder(cell), {scenario_, cell}));
  }
}

std::vector<plan::Cell> NetworkAudit::lacking(const std::vector<plan::Cell>& cells) const {
  std::vector<plan::Cell> found;
  for (const auto& cell : cells) {
    if (book_.lacks_after(cell.folder_name()) && folder_.recorded(cell)) found.push_back(cell);
  }
  return found;
}

CellResult NetworkAudit::finish(const plan::Cell& cell, record::CellRecord record) const {
  record.set_probes(book_.of(cell.folder_name()));
  auto result = record::summarise(scenario_, cell, record);
  folder_.finish(cell, result);
  return result;
}

void NetworkAudit::probe(const std::vector<plan::Cell>& cells, const char* when) {
  if (!makes_links(scenario_) || cells.empty()) return;
  const auto& link = cells.front().link;
  auto probe = probes::probe_links(programs_, daemon_request(scenario_, link), interrupt_, meter_,
                                   std::string_view{when} == "before");
  probe.time_dilation = scenario_.time_dilation.factor;
  probe.link = link.name;
  probe.when = when;
  for (const auto& cell : cells) probe.cells.push_back(cell.folder_name());
  book_.add(probe);
  progress_.say(told(probe));
}

}  // namespace pacbench::run
