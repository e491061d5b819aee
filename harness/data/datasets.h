#pragma once

#include <filesystem>
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

/// Copies a data set in its standard binary form into `data_folder`/<name>, where workers look for
/// it, and returns that folder. `path` is a folder that holds the files, at its top or one folder
/// down (cifar-10-batches-bin), or the archive (.tar.gz) as its authors publish it. Before anything
/// is replaced, every file is checked for its length and, in files of records, every record for its
/// label. An existing folder is then moved away, and the new one appears in one step; if that
/// fails, the existing one is moved back. Throws ConfigError that names the file, what was found
/// and what was expected; std::system_error or CommandFailed when copying or unpacking fails.
std::string import_dataset(const DatasetInfo& dataset, const std::string& path,
                           const std::string& data_folder);

/// Moves the folder `files` to `target`. What was there is moved to `aside`, and back when `files`
/// cannot be moved. Throws std::filesystem::filesystem_error. All paths must be on one file system.
void put_in_place(const std::filesystem::path& files, const std::filesystem::path& target,
                  const std::filesystem::path& aside);

}  // namespace pacbench::data
