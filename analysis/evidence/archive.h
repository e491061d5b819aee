#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pacbench::evidence {

/// One thing in an archive, as tar lists it.
struct Entry {
  char kind = '-';  ///< '-' a file, 'd' a folder, 'l' a link, ...
  std::int64_t bytes = 0;
  std::string name;
};

/// Reads what `tar --list --verbose --full-time` prints. Throws std::invalid_argument with a line
/// that it does not understand, such as one with a space in its name.
std::vector<Entry> entries_of(const std::string& listing);

/// Why an archive of these entries is not unpacked: something else than files and folders below
/// `folder`, a way out of it, or more than 1 GB. Empty when it may be.
std::string danger_of(const std::vector<Entry>& entries, const std::string& folder);

/// Unpacks an archive (.tar.gz) of a stranger into a folder that is there, with the system's tar,
/// when there is no danger. Throws ConfigError naming the archive where there is, or when it is
/// none.
void unpack(const std::string& archive, const std::string& folder, const std::string& into);

}  // namespace pacbench::evidence
