#include "base/environment.h"

#include <cstdlib>

namespace pacbench {

std::string environment_value(const char* name) {
  const auto* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> inherited_environment(std::initializer_list<const char*> names) {
  std::vector<std::string> entries;
  for (const auto* name : names) {
    if (const auto* value = std::getenv(name)) entries.push_back(std::string{name} + '=' + value);
  }
  return entries;
}

void set_variable(std::vector<std::string>& environment, std::string assignment) {
  const auto name = assignment.substr(0, assignment.find('=') + 1);
  std::erase_if(environment, [&](const std::string& one) { return one.starts_with(name); });
  environment.push_back(std::move(assignment));
}

}  // namespace pacbench
