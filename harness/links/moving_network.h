#pragma once

#include <memory>
#include <vector>

#include "harness/cell/context.h"
#include "harness/cell/log.h"
#include "harness/links/fabric.h"
#include "harness/links/probe_program.h"

namespace pacbench::links {

/// What changes in the network of a cell while it trains: rates by the link's schedule, and loads.
/// What becomes of them goes into the cell's log. Times count from the start of training and are
/// real ones: they go on while the training clock stands.
class MovingNetwork {
 public:
  /// Connects the loads, which then wait. Throws CellEnded when one cannot.
  MovingNetwork(Fabric& fabric, const cell::CellContext& context, const LinkProfile& link,
                cell::CellLog& log);

  /// To be called often, at least every tenth of a second: notes the start of training, begins
  /// loads that are due and records what has happened. Throws CellEnded when a load has failed.
  void turn();

 private:
  struct RunningLoad {
    Load declared;
    std::unique_ptr<ProbeProgram> server;
    std::unique_ptr<ProbeProgram> flow;
    bool begun = false;
    bool done = false;
  };

  void connect(const Load& load);
  void await(ProbeProgram& program, const char* event) const;
  void start();
  void listen(int number, RunningLoad& load);

  Fabric& fabric_;
  const cell::CellContext& context_;
  const LinkProfile& link_;
  cell::CellLog& log_;
  std::vector<RunningLoad> loads_;
  std::int64_t start_ns_ = 0;  ///< of training; 0 before
};

}  // namespace pacbench::links
