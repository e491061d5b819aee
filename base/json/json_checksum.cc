#include "base/json/json_checksum.h"

#include <fmt/format.h>

#include "base/sha256.h"

namespace pacbench {
namespace {

std::string checksum_of(Json object) {
  object.erase(kChecksum);
  return sha256(json_text(object));
}

}  // namespace

bool has_checksum(const Json& object) { return object.is_object() && object.contains(kChecksum); }

Json with_checksum(Json object) {
  auto checksum = checksum_of(object);
  object[kChecksum] = std::move(checksum);
  return object;
}

std::optional<Issue> checksum_issue(const Json& object) {
  if (!has_checksum(object)) return std::nullopt;
  const auto expected = checksum_of(object);
  if (object.at(kChecksum) == expected) return std::nullopt;
  return Issue{fmt::format("/{}", kChecksum),
               fmt::format("found {}, but the other keys of this object give {}: this key or "
                           "another one was changed after the object was written",
                           describe_found(object.at(kChecksum)), expected)};
}

}  // namespace pacbench
