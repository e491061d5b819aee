#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace pacbench {

template <typename T, typename = void>
struct JsonSerializer;

using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t,
                                  std::uint64_t, double, std::allocator, JsonSerializer>;

/// The integer that a JSON number is. Throws nlohmann::json::type_error for anything else, also for
/// a number with a fraction or an exponent, and for an integer outside `least` to `most`. `least`
/// must be at most 0, `most` at least 0.
std::int64_t integer_from_json(const Json& node, std::int64_t least, std::int64_t most);

/// Converts between values and documents. nlohmann's own conversion suits all types but integers:
/// a number that an integer cannot hold has an undefined result, or loses bits.
template <typename T, typename>
struct JsonSerializer : nlohmann::adl_serializer<T> {};

/// Integers of 64 bits are below 2^62 in size, so that the difference of two always fits.
template <std::integral T>
requires(!std::same_as<T, bool>) struct JsonSerializer<T> {
  static void to_json(Json& node, T value) { nlohmann::to_json(node, value); }

  static void from_json(const Json& node, T& value) {
    constexpr std::int64_t kMost = (std::int64_t{1} << 62) - 1;
    using Limits = std::numeric_limits<T>;
    constexpr auto kLeast =
        std::cmp_less(Limits::min(), -kMost) ? -kMost : static_cast<std::int64_t>(Limits::min());
    constexpr auto kLargest =
        std::cmp_greater(Limits::max(), kMost) ? kMost : static_cast<std::int64_t>(Limits::max());
    value = static_cast<T>(integer_from_json(node, kLeast, kLargest));
  }
};

}  // namespace pacbench
