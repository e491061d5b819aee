#include "base/json/json.h"

#include <fmt/format.h>

#include "base/json/json_reader.h"

namespace pacbench {

std::int64_t integer_from_json(const Json& node, std::int64_t least, std::int64_t most) {
  // A parser keeps an integer that is not negative as an unsigned one; one that code has written
  // may be signed all the same.
  if (const auto* number = node.get_ptr<const Json::number_unsigned_t*>()) {
    if (*number <= static_cast<std::uint64_t>(most)) return static_cast<std::int64_t>(*number);
  } else if (const auto* signed_number = node.get_ptr<const Json::number_integer_t*>()) {
    if (*signed_number >= least && *signed_number <= most) return *signed_number;
  }
  throw Json::type_error::create(
      302, fmt::format("found {}, expected an integer from {} to {}", json_text(node), least, most),
      &node);
}

}  // namespace pacbench
