#include "base/errors.h"

#include <fmt/format.h>

namespace pacbench {
namespace {

// what() shows at most this many problems; issues() has them all. A file of another kind than the
// expected one may have hundreds of problems, and the first ones show that its kind is wrong.
constexpr std::size_t kMostLines = 20;

std::string joined(const std::string& source, const std::vector<Issue>& issues) {
  std::string text;
  for (std::size_t i = 0; i < issues.size(); ++i) {
    if (i > 0) text += '\n';
    text += source;
    if (i == kMostLines) {
      const auto left = issues.size() - i;
      return text + fmt::format(": and {} more problem{}", left, left == 1 ? "" : "s");
    }
    if (!issues[i].pointer.empty()) text += fmt::format(": {}", issues[i].pointer);
    text += fmt::format(": {}", issues[i].message);
  }
  return text;
}

}  // namespace

ConfigError::ConfigError(std::string source, std::vector<Issue> issues)
    : std::runtime_error{joined(source, issues)},
      source_{std::move(source)},
      issues_{std::move(issues)} {}

}  // namespace pacbench
