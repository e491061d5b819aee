#include "base/json_integer.h"

#include <fmt/format.h>

namespace pacbench {
namespace {

constexpr std::int64_t kMost = (std::int64_t{1} << 62) - 1;

bool fits(const Json& node) {
  if (node.is_number_unsigned()) return node.get<std::uint64_t>() <= std::uint64_t{kMost};
  if (!node.is_number_integer()) return false;
  const auto number = node.get<std::int64_t>();
  return number >= -kMost && number <= kMost;
}

}  // namespace

std::int64_t integer_from_json(const Json& node) {
  if (fits(node)) return node.get<std::int64_t>();
  throw Json::type_error::create(
      302, fmt::format("found {}, expected an integer between -2^62 and 2^62", json_text(node)),
      &node);
}

}  // namespace pacbench
