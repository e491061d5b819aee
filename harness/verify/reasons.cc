#include "harness/verify/reasons.h"

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

namespace pacbench::verify {
namespace {

std::vector<std::string> measurements_in(const std::string& text) {
  static const std::regex kNumber{"[0-9]+([.][0-9]+)?"};
  return {std::sregex_token_iterator{text.begin(), text.end(), kNumber}, {}};
}

const Json* reasons_of(const Json& cell, const char* verdict) {
  if (!cell.is_object() || !cell.contains(verdict)) return nullptr;
  const auto& value = cell.at(verdict);
  if (!value.is_object() || !value.contains("reasons")) return nullptr;
  return value.at("reasons").is_array() ? &value.at("reasons") : nullptr;
}

}  // namespace

Json in_recorded_words(const Json& found, Json expected) {
  for (const auto* verdict : {"link_verdict", "host_verdict", "machine_verdict"}) {
    const auto* recorded = reasons_of(found, verdict);
    if (recorded == nullptr || reasons_of(expected, verdict) == nullptr) continue;
    auto& reasons = expected.at(verdict).at("reasons");
    for (std::size_t i = 0; i < std::min(recorded->size(), reasons.size()); ++i) {
      if (!recorded->at(i).is_string()) continue;
      const auto words = recorded->at(i).get<std::string>();
      if (measurements_in(words) == measurements_in(reasons[i].get<std::string>()))
        reasons[i] = words;
    }
  }
  return expected;
}

}  // namespace pacbench::verify
