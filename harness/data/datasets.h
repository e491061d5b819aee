#pragma once

#include <string>

#include "contract/catalogue/catalogue.h"
#include "contract/scenario/scenario.h"

namespace pacbench::data {

/// Checks that an imported data set is there and whole; sets embedded in the worker always are.
/// Throws ConfigError that says how to import it.
void require_dataset(const DatasetInfo& dataset, const std::string& data_folder);

/// Checks all data sets that a scenario's workload needs, in data_folder().
void require_datasets(const Scenario& scenario, const Catalogue& catalogue);

}  // namespace pacbench::data
