#pragma once

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include "base/json/json_reader.h"

namespace pacbench {

/// The text between a file and its class in the name of a user's class, as in task.py:Digits.
inline constexpr std::string_view kBeforeClass = ".py:";

/// Whether a method, model or data set is a class that a user wrote in Python. Its name is
/// "FILE.py:CLASS", where the file is seen from the folder of the scenario.
inline bool is_users_class(const std::string& name) {
  return name.find(kBeforeClass) != std::string::npos;
}

/// The name of a method in labels: its own, or that of a user's class in lower case.
inline std::string label_name(const std::string& name) {
  const auto at = name.find(kBeforeClass);
  if (at == std::string::npos) return name;
  auto label = name.substr(at + kBeforeClass.size());
  std::transform(label.begin(), label.end(), label.begin(),
                 [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  return label;
}

/// The users' classes that a document names, at any depth: as "name", or as "task".
inline std::set<std::string> python_names(const Json& document) {
  std::set<std::string> names;
  if (!document.is_structured()) return names;
  for (const auto& [key, value] : document.items()) {
    names.merge(python_names(value));
    const bool may_name = document.is_object() && (key == "name" || key == "task");
    if (!may_name || !value.is_string()) continue;
    const auto name = value.get<std::string>();
    if (is_users_class(name)) names.insert(name);
  }
  return names;
}

}  // namespace pacbench
