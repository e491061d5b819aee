#pragma once

#include <cstdint>
#include <string>
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

/// The largest number of settings that a method names, at least 1.
std::size_t most_settings(const std::vector<MethodEntry>& methods);

/// Checks the tuning of a scenario: equally many trainings for each method, other seeds than the
/// measured ones, and enough samples to train on. Without a tuning, complains of settings to try.
void check_tuning(const Scenario& scenario, const Catalogue& catalogue, std::vector<Issue>& issues);

/// Completes the folder of the users' classes that a scenario names, whose other keys have been
/// read, and reports through `reader` what such classes cannot do.
void read_users_classes(ObjectReader& reader, const std::string& source, Scenario& scenario);

/// Reads "seeds": at least one seed, and no seed twice.
std::vector<std::int64_t> read_seeds(ObjectReader& reader);

Json seeds_schema();

/// Reads the workload of a scenario and reports its mistakes through `reader`. A file that it
/// names is relative to the folder of `source`.
Workload read_workload(ObjectReader reader, const Catalogue& catalogue, const std::string& source);

Json workload_schema(const Catalogue& catalogue);

}  // namespace pacbench
