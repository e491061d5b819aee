#pragma once

#include <optional>
#include <string>

#include "base/json_reader.h"

namespace pacbench {

/// The key under which an object holds the SHA-256 of all else that is in it: of that as one line
/// of JSON, without spaces and with its keys in order.
inline constexpr const char* kChecksum = "sha256";

bool has_checksum(const Json& object);

/// The object with a checksum of what is in it now.
Json with_checksum(Json object);

/// Says what is wrong with an object's checksum; nothing when it is right or there is none.
std::optional<Issue> checksum_issue(const Json& object);

}  // namespace pacbench
