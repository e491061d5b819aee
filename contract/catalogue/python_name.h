#pragma once

#include <set>
#include <string>

#include "base/json/json_reader.h"

namespace pacbench {

/// Whether a method, model or data set is a class that a user wrote in Python. Its name is
/// "FILE.py:CLASS", where the file is seen from the folder of the scenario.
bool is_users_class(const std::string& name);

/// The name of a method in labels: its own, or that of a user's class in lower case.
std::string label_name(const std::string& name);

/// The users' classes that a document names, at any depth: as "name", or as "task".
std::set<std::string> python_names(const Json& document);

}  // namespace pacbench
