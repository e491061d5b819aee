#include "contract/catalogue/python_name.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace pacbench {
namespace {

constexpr std::string_view kBetween = ".py:";

}  // namespace

bool is_users_class(const std::string& name) { return name.find(kBetween) != std::string::npos; }

std::string label_name(const std::string& name) {
  const auto at = name.find(kBetween);
  if (at == std::string::npos) return name;
  auto label = name.substr(at + kBetween.size());
  std::transform(label.begin(), label.end(), label.begin(),
                 [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  return label;
}

std::set<std::string> python_names(const Json& document) {
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
