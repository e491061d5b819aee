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

/// Reads what `tar --list --verbose --full-time` prints. Throws std::invalid_argument for a line
/// that it does not understand, such as that of a link ("a -> b") or of a name with a space.
std::vector<Entry> entries_of(const std::string& listing);

/// Returns why an archive of these entries is not safe to unpack; empty when it is safe. It is
/// unsafe when it is empty, holds more than 1 GB, or holds anything but files and folders. It is
/// also unsafe when a path is not below `folder` or leads out of it.
std::string danger_of(const std::vector<Entry>& entries, const std::string& folder);

/// Unpacks an untrusted archive (.tar.gz) into the existing folder `into` with the system's tar.
/// All paths in it must be below `folder`. Throws ConfigError naming the archive when tar cannot
/// read it, when entries_of() does not understand its listing, or when danger_of() finds a danger.
void unpack(const std::string& archive, const std::string& folder, const std::string& into);

}  // namespace pacbench::evidence
