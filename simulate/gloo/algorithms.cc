#include "simulate/gloo/algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace pacbench::simulate {
namespace {

struct Algorithm {
  std::string_view op;
  Operations (*run)(const Call& call, Place place);
};

constexpr std::array<Algorithm, 6> kAlgorithms{{
    {"all_reduce", ring_all_reduce},
    {"all_gather", ring_all_gather},
    {"all_to_all", direct_all_to_all},
    {"broadcast", tree_broadcast},
    {"barrier", dissemination_barrier},
    {"send_receive", point_to_point},
}};

const Algorithm& algorithm_of(const std::string& op) {
  const auto found = std::find_if(kAlgorithms.begin(), kAlgorithms.end(),
                                  [&](const Algorithm& one) { return one.op == op; });
  if (found != kAlgorithms.end()) return *found;
  throw std::invalid_argument{fmt::format(
      "found the collective \"{}\", for which mode simulate has no algorithm of Gloo", op)};
}

}  // namespace

Operations operations_of(const Call& call, Place place) {
  return algorithm_of(call.op).run(call, place);
}

std::int64_t element_bytes(const std::string& dtype) {
  struct Type {
    std::string_view name;
    std::int64_t bytes;
  };
  constexpr std::array<Type, 8> kTypes{{{"", 0},
                                        {"float32", 4},
                                        {"float16", 2},
                                        {"bfloat16", 2},
                                        {"int8", 1},
                                        {"uint8", 1},
                                        {"int32", 4},
                                        {"int64", 8}}};
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const Type& one) { return one.name == dtype; });
  if (found != kTypes.end()) return found->bytes;
  throw std::invalid_argument{
      fmt::format("found elements of type \"{}\", whose size mode simulate does not know", dtype)};
}

}  // namespace pacbench::simulate
