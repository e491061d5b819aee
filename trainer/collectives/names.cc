#include "trainer/collectives/names.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace pacbench::trainer {
namespace {

constexpr std::array<std::pair<at::ScalarType, const char*>, 7> kTypes{{{at::kFloat, "float32"},
                                                                        {at::kHalf, "float16"},
                                                                        {at::kBFloat16, "bfloat16"},
                                                                        {at::kChar, "int8"},
                                                                        {at::kByte, "uint8"},
                                                                        {at::kInt, "int32"},
                                                                        {at::kLong, "int64"}}};

constexpr std::array kKinds{CollectiveKind::kAllReduce, CollectiveKind::kAllGather,
                            CollectiveKind::kAllToAll,  CollectiveKind::kSendReceive,
                            CollectiveKind::kBroadcast, CollectiveKind::kBarrier};

}  // namespace

const char* dtype_name(at::ScalarType type) {
  for (const auto& [known, name] : kTypes) {
    if (known == type) return name;
  }
  return c10::toString(type);
}

at::ScalarType dtype_named(const std::string& name) {
  for (const auto& [type, known] : kTypes) {
    if (name == known) return type;
  }
  throw std::invalid_argument{"no collective carries elements of type \"" + name + '"'};
}

CollectiveKind kind_named(const std::string& name) {
  for (const auto kind : kKinds) {
    if (name == name_of(kind)) return kind;
  }
  throw std::invalid_argument{"there is no collective \"" + name + '"'};
}

}  // namespace pacbench::trainer
