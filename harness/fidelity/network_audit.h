#pragma once

#include <string>
#include <vector>

#include "harness/fidelity/probe_book.h"
#include "harness/programs.h"
#include "harness/run/plan.h"
#include "harness/run/progress.h"
#include "harness/run/recorder.h"

namespace pacbench::fidelity {

/// Shows, for the cells of a run, that their links are what the scenario declares: a probe before
/// the first of several cells over the same link, and one after the last. In mode learn there is
/// nothing to probe.
class NetworkAudit {
 public:
  NetworkAudit(const Programs& programs, const Scenario& scenario, const run::RunFolder& folder,
               const Interrupt& interrupt, run::Progress& progress);

  /// `cells` are about to run, all over one link. Throws CellEnded ("interrupted") on Ctrl-C, as
  /// after() does.
  void before(const std::vector<run::Cell>& cells);

  /// `cells`, all over one link, have ended. Their numbers are computed and written again, with
  /// what this probe says of them.
  void after(const std::vector<run::Cell>& cells);

  /// Those that ended without a probe after them, because the run was broken off.
  std::vector<run::Cell> lacking(const std::vector<run::Cell>& cells) const;

  /// The numbers of a cell that has ended, from its record and the probes; written to its folder.
  CellResult finish(const run::Cell& cell, cell::CellRecord record) const;

 private:
  void probe(const std::vector<run::Cell>& cells, const char* when);

  const Programs& programs_;
  const Scenario& scenario_;
  const run::RunFolder& folder_;
  const Interrupt& interrupt_;
  run::Progress& progress_;
  ProbeBook book_;
};

}  // namespace pacbench::fidelity
