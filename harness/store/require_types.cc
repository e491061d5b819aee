#include "harness/store/require_types.h"

#include <fmt/format.h>

namespace pacbench::store {

void require_types(const std::string& path, const std::string& prefix, const Json& document,
                   const std::vector<Typed>& values) {
  std::vector<Issue> issues;
  for (const auto& [pointer, is, words] : values) {
    const Json::json_pointer place{pointer};
    const bool there = document.contains(place);
    if (there && (document.at(place).*is)()) continue;
    issues.push_back({prefix + pointer,
                      fmt::format("found {}, expected {}: the file was edited, or is of another "
                                  "version of pacbench; use the file that the run wrote",
                                  there ? describe_found(document.at(place)) : "nothing", words)});
  }
  if (!issues.empty()) throw ConfigError{path, issues};
}

}  // namespace pacbench::store
