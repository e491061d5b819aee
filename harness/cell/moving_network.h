#pragma once

#include <memory>
#include <vector>

#include "harness/cell/log.h"
#include "harness/cell/run_context.h"
#include "harness/links/fabric.h"
#include "harness/links/probe_program.h"

namespace pacbench::cell {

/// Changes the network of a cell while it trains: rates by the link's schedule, and loads. The
/// changes go into the cell's log. Times count from the start of training in wall-clock time, which
/// goes on while the training clock stands.
class MovingNetwork {
 public:
  /// Connects the loads, which then wait. Throws CellFailed when one cannot.
  MovingNetwork(links::Fabric& fabric, const RunContext& context, const LinkProfile& link,
                CellLog& log);

  /// Starts training now. Without this call training starts with the first evaluation, which
  /// pacbench's worker makes.
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
