#include "harness/plan/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace pacbench::plan {
namespace {

/// A number and what stands behind it.
struct Quantity {
  double number = 0;
  std::string unit;
};

[[noreturn]] void refuse(const std::string& text, const char* expected) {
  throw std::invalid_argument{fmt::format("found \"{}\", expected {}", text, expected)};
}

Quantity quantity(const std::string& text, const char* expected) {
  Quantity read;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read.number);
  if (error != std::errc{} || !std::isfinite(read.number) || read.number < 0)
    refuse(text, expected);
  read.unit.assign(end, text.data() + text.size());
  std::erase_if(read.unit, [](unsigned char each) { return std::isspace(each) != 0; });
  return read;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  return text;
}

/// Cuts one of `ends` off a text; false where it has none of them.
template <std::size_t N>
bool cut(std::string& text, const std::array<const char*, N>& ends) {
  for (const std::string end : ends) {
    if (!text.ends_with(end)) continue;
    text.resize(text.size() - end.size());
    return true;
  }
  return false;
}

}  // namespace

double rate_mbit(const std::string& text) {
  constexpr const char* kExpected =
      "a rate with its unit, such as 100mbit, 1.5Gbit/s, 500kbps or 12.5MB/s";
  const auto [number, written] = quantity(text, kExpected);
  auto unit = written;
  const double bits = cut(unit, std::array{"B/s", "Bps"}) ? 8 : 1;
  unit = lower(unit);
  if (bits == 1 && !cut(unit, std::array{"bit/s", "bits/s", "bps", "b/s", "bit"})) {
    refuse(text, kExpected);
  }
  constexpr std::array<std::pair<const char*, double>, 5> kMbits{
      {{"", 1e-6}, {"k", 1e-3}, {"m", 1}, {"g", 1e3}, {"t", 1e6}}};
  for (const auto& [prefix, mbit] : kMbits) {
    if (unit == prefix) return number * bits * mbit;
  }
  refuse(text, kExpected);
}

double time_ms(const std::string& text) {
  constexpr const char* kExpected = "a time with its unit, such as 20ms, 0.2s or 150us";
  const auto [number, unit] = quantity(text, kExpected);
  if (unit == "ms") return number;
  if (unit == "s") return 1e3 * number;
  if (unit == "us" || unit == "µs") return 1e-3 * number;
  refuse(text, kExpected);
}

double share_of_percent(const std::string& text) {
  constexpr const char* kExpected = "a share in percent below 100, such as 0.1%";
  const auto [number, unit] = quantity(text, kExpected);
  if (unit != "%" || number >= 100) refuse(text, kExpected);
  return 1e-2 * number;
}

}  // namespace pacbench::plan
