#include "analysis/reproduce/claims.h"

#include <algorithm>

namespace pacbench::reproduce {
namespace {

bool is_one_of(const Json& found, const Json& wanted) {
  if (!wanted.is_array()) return found == wanted;
  return std::find(wanted.begin(), wanted.end(), found) != wanted.end();
}

bool is_of(const Arm& arm, const Json& method) {
  for (const auto& [option, wanted] : arm.method.items()) {
    const auto found = method.find(option);
    if (!is_one_of(found == method.end() ? Json{} : *found, wanted)) return false;
  }
  return true;
}

}  // namespace

std::string Claims::kind_of(const Json& method) const {
  const auto found =
      std::find_if(arms.begin(), arms.end(), [&](const Arm& arm) { return is_of(arm, method); });
  return found == arms.end() ? method.at("name").get<std::string>() : found->kind;
}

std::string Claims::words_of(const std::string& kind) const {
  const auto found =
      std::find_if(arms.begin(), arms.end(), [&](const Arm& arm) { return arm.kind == kind; });
  return found == arms.end() ? kind : found->words;
}

}  // namespace pacbench::reproduce
