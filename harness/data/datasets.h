#pragma once

#include <string>

#include "contract/catalogue/catalogue.h"
#include "contract/scenario/scenario.h"

namespace pacbench::data {

/// Checks that every file of an imported data set is there and has the expected length. A data set
/// embedded in the worker has no files to check. Throws ConfigError that says how to import the
/// set.
void require_dataset(const DatasetInfo& dataset, const std::string& data_folder);

/// Checks all data sets that a scenario's workload needs, in data_folder(). Throws one ConfigError
/// for all sets that are missing or incomplete. A scenario of programs alone needs none.
void require_datasets(const Scenario& scenario, const Catalogue& catalogue);

}  // namespace pacbench::data
