#pragma once

#include <optional>
#include <string>

#include "base/json/json_reader.h"

namespace pacbench {

/// The key under which an object holds a SHA-256 of its other keys. The hash is of one line of JSON
/// without spaces, with the keys sorted.
inline constexpr const char* kChecksum = "sha256";

bool has_checksum(const Json& object);

/// Returns the object with a checksum of its present contents.
Json with_checksum(Json object);

/// Says what is wrong with an object's checksum; nothing when it is right or there is none.
std::optional<Issue> checksum_issue(const Json& object);

}  // namespace pacbench
