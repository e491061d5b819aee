#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

namespace pacbench {

/// The value of this process's environment variable `name`; empty where it is not set.
inline std::string environment_value(const char* name) {
  const auto* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Those environment variables of this process that `names` lists and that are set, as NAME=value,
/// in the order of `names`. A program that is started with them inherits nothing else.
inline std::vector<std::string> inherited_environment(std::initializer_list<const char*> names) {
  std::vector<std::string> entries;
  for (const auto* name : names) {
    if (const auto* value = std::getenv(name)) entries.push_back(std::string{name} + '=' + value);
  }
  return entries;
}

/// Sets NAME=value in an environment. Removes other entries of NAME first, because most programs
/// see only the first entry of a name.
inline void set_variable(std::vector<std::string>& environment, std::string assignment) {
  const auto name = assignment.substr(0, assignment.find('=') + 1);
  std::erase_if(environment, [&](const std::string& one) { return one.starts_with(name); });
  environment.push_back(std::move(assignment));
}

}  // namespace pacbench
