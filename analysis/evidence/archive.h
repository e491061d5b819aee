#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pacbench::evidence {

/// One file, folder or link in an archive, as tar lists it.
struct Entry {
  char kind = '-';  ///< '-' a file, 'd' a folder, 'l' a link, ...
  std::int64_t bytes = 0;
  std::string name;
};

/// Reads what `tar --list --verbose --full-time` prints. Throws std::invalid_argument with a line
/// that it does not understand, such as one with a space in its name.
std::vector<Entry> entries_of(const std::string& listing);

/// Why an archive of these entries is not safe to unpack. It may hold anything but files and
/// folders below `folder`, a path that leads out of it, or more than 1 GB. Empty when it is safe.
std::string danger_of(const std::vector<Entry>& entries, const std::string& folder);

/// Unpacks an untrusted archive (.tar.gz) into an existing folder with the system's tar. Throws
/// ConfigError naming the file when it is no archive, or when danger_of() finds a danger.
void unpack(const std::string& archive, const std::string& folder, const std::string& into);

}  // namespace pacbench::evidence
