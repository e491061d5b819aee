#pragma once

#include <string>

#include "spec/catalogue.h"

namespace pacbench {

/// Checks that an imported data set is there and whole; sets embedded in the worker always are.
/// Throws ConfigError that says how to import it.
void require_dataset(const DatasetInfo& dataset, const std::string& data_folder);

}  // namespace pacbench
