#pragma once

#include <string>
#include <vector>

#include "contract/worker/worker_spec.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"

namespace pacbench::run {

/// The task of workers that run_alone() starts. They exchange nothing with each other.
struct LoneWork {
  std::string name;   ///< "pre-training", for messages
  std::string event;  ///< name of the event that each worker ends with
};

/// Runs a worker for each specification, all at the same time, without a network, and returns the
/// event that each of them ended with. Workers report nothing before that event, so their working
/// time has no limit. Throws CommandFailed when a worker fails (then with its own words), ends
/// without that event, writes a line that is no event, or stays stopped (SIGSTOP) for its
/// timeout_s. Throws Interrupted on an interrupt.
std::vector<Json> run_alone(const std::vector<WorkerSpec>& specs, const LoneWork& work,
                            const Programs& programs, const Interrupt& interrupt);

}  // namespace pacbench::run
