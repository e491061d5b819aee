#include "contract/catalogue/inner_methods.h"

#include <algorithm>
#include <iterator>

namespace pacbench {

std::vector<MethodInfo> averagers_of(const std::vector<MethodInfo>& all) {
  std::vector<MethodInfo> averagers;
  std::copy_if(all.begin(), all.end(), std::back_inserter(averagers),
               [](const MethodInfo& info) { return info.averages; });
  return averagers;
}

std::vector<Json> inner_methods(const MethodInfo& method, const Json& options) {
  std::vector<Json> inner;
  for (const auto& option : method.options) {
    const auto value = options.value(option.name, option.default_value);
    if (value.is_null()) continue;
    if (option.type == OptionSpec::Type::kMethod) inner.push_back(value);
    if (option.type == OptionSpec::Type::kMethods) {
      inner.insert(inner.end(), value.begin(), value.end());
    }
  }
  return inner;
}

const MethodInfo* find_method(const std::vector<MethodInfo>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const MethodInfo& info) { return info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace pacbench
