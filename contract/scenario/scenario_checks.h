#pragma once

#include <vector>

#include "base/errors.h"
#include "contract/catalogue/catalogue.h"
#include "contract/scenario/scenario.h"

/// Parts of reading a scenario that look at several keys together.
namespace pacbench {

/// Reads the "targets" of a scenario whose methods and workload have been read. Reports
/// errors through `whole`, the reader of the scenario.
void read_targets(ObjectReader& whole, Scenario& scenario);

/// Complains of methods that decide by measured time, where the run cannot use such decisions. Mode
/// learn, and a tuning, which trains in mode learn, measure no exchange. Mode compose takes its
/// curve from another run, which decided by the times that it measured itself. Mode simulate
/// repeats what a profile recorded.
void check_decisions(const Scenario& scenario, const Catalogue& catalogue,
                     std::vector<Issue>& issues);

/// Checks that the parts of a workload fit together: model and data sets, and the numbers of
/// samples that batches, validation and evaluations take from a data set.
void check_workload(const Scenario& scenario, const Catalogue& catalogue,
                    std::vector<Issue>& issues);

/// Checks that each method, and each method inside it, is for models with the input (images or
/// tokens) of the scenario's model. On another model the method would do only what all-reduce does.
void check_methods(const Scenario& scenario, const Catalogue& catalogue,
                   std::vector<Issue>& issues);

}  // namespace pacbench
