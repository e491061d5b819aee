#include "base/errors.h"

#include <fmt/format.h>

namespace pacbench {
namespace {

std::string joined(const std::string& source, const std::vector<Issue>& issues) {
  std::string text;
  for (const auto& issue : issues) {
    if (!text.empty()) text += '\n';
    text += source;
    if (!issue.pointer.empty()) text += fmt::format(": {}", issue.pointer);
    text += fmt::format(": {}", issue.message);
  }
  return text;
}

}  // namespace

ConfigError::ConfigError(std::string source, std::vector<Issue> issues)
    : std::runtime_error{joined(source, issues)},
      source_{std::move(source)},
      issues_{std::move(issues)} {}

}  // namespace pacbench
