#include "contract/result/mask_overlap.h"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

namespace pacbench {
namespace {

unsigned value_of(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a' + 10);
  throw std::invalid_argument{
      fmt::format("mask sample: found '{}', expected hexadecimal digits", digit)};
}

}  // namespace

double sample_overlap(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) {
    throw std::invalid_argument{fmt::format(
        "mask samples: found {} and {} digits, expected equally many: are both of one model?",
        a.size(), b.size())};
  }
  int both = 0;
  int either = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += std::popcount(value_of(a[i]) & value_of(b[i]));
    either += std::popcount(value_of(a[i]) | value_of(b[i]));
  }
  return either == 0 ? 1 : static_cast<double>(both) / either;
}

}  // namespace pacbench
