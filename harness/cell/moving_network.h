#pragma once

#include <memory>
#include <vector>

#include "harness/cell/log.h"
#include "harness/links/fabric.h"
#include "harness/links/probe_program.h"

namespace pacbench::cell {

/// Changes the network of a cell while the cell trains: sets rates by the link's schedule, and runs
/// the link's loads (traffic of others). The changes go into the cell's log. Times count from the
/// start of training in wall-clock time, which goes on while the training clock is stopped.
class MovingNetwork {
 public:
  /// Connects the loads, which then wait for their start. Throws CellFailed when one cannot
  /// connect.
  MovingNetwork(links::Fabric& fabric, const RunContext& context, const LinkProfile& link,
                CellLog& log);

  /// Marks now as the start of training. Without this call, turn() marks the start: when rank 0 has
  /// evaluated the initial weights or, in mode compose, when all ranks are ready.
  void begin();

  /// Notes the start of training, begins loads that are due and records what has happened. Must be
  /// called at least every tenth of a second. Throws CellFailed when a load has failed.
  void turn();

 private:
  struct RunningLoad {
    Load declared;
    std::unique_ptr<links::ProbeProgram> server;
    std::unique_ptr<links::ProbeProgram> flow;
    bool begun = false;
    bool done = false;
  };

  bool training_has_begun() const;
  void connect(const Load& load);
  void await(links::ProbeProgram& program, const char* event) const;
  void listen(int number, RunningLoad& load);

  links::Fabric& fabric_;
  const RunContext& context_;
  const LinkProfile& link_;
  CellLog& log_;
  std::vector<RunningLoad> loads_;
  std::int64_t start_ns_ = 0;  ///< of training; 0 before
};

}  // namespace pacbench::cell
