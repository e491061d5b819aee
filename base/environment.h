#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace pacbench {

/// The value of this process's environment variable `name`; empty where it is not set.
std::string environment_value(const char* name);

/// Those environment variables of this process that `names` lists and that are set, as NAME=value,
/// in the order of `names`. A program that is started with them inherits nothing else.
std::vector<std::string> inherited_environment(std::initializer_list<const char*> names);

/// Sets NAME=value in an environment. Removes other entries of NAME first, because most programs
/// see only the first entry of a name.
void set_variable(std::vector<std::string>& environment, std::string assignment);

}  // namespace pacbench
