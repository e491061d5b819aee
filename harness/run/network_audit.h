#pragma once

#include <vector>

#include "harness/machine/interrupt.h"
#include "harness/machine/meter.h"
#include "harness/machine/programs.h"
#include "harness/plan/plan.h"
#include "harness/record/probe_book.h"
#include "harness/record/record.h"
#include "harness/run/progress.h"
#include "harness/store/run_folder.h"

namespace pacbench::run {

/// Probes the links of a run, to show that they are what the scenario declares. Cells that
/// follow each other over the same link are a group: the link is probed before the first and after
/// the last of them. With several seeds and several links, a link has a group for each seed.
/// Modes learn and simulate have no links to probe.
class NetworkAudit {
 public:
  NetworkAudit(const Programs& programs, const Scenario& scenario, const store::RunFolder& folder,
               const Interrupt& interrupt, run::Progress& progress, Meter* meter);

  /// Probes the one link that all of `cells` are about to use. Throws Interrupted on Ctrl-C, as
  /// after() does.
  void before(const std::vector<plan::Cell>& cells);

  /// Probes the one link that all of `cells` have used. Then computes the cells' numbers with this
  /// probe and writes them again.
  void after(const std::vector<plan::Cell>& cells);

  /// The cells that ended and have no probe after them, because the run was broken off or the probe
  /// failed.
  std::vector<plan::Cell> lacking(const std::vector<plan::Cell>& cells) const;

  /// Computes the numbers of an ended cell from its record and the probes, and writes them to its
  /// folder.
  CellResult finish(const plan::Cell& cell, record::CellRecord record) const;

 private:
  void probe(const std::vector<plan::Cell>& cells, const char* when);

  const Programs& programs_;
  const Scenario& scenario_;
  const store::RunFolder& folder_;
  const Interrupt& interrupt_;
  run::Progress& progress_;
  Meter* meter_;  ///< null where nothing watches the machine
  record::ProbeBook book_;
};

}  // namespace pacbench::run
