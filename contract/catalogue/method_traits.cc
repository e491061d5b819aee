// This file finds the traits of a method with the options of an entry.
#include <algorithm>

#include "contract/catalogue/inner_methods.h"

namespace pacbench {
namespace {

bool contains(const std::vector<Json>& values, const Json& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

MethodTraits traits_of(const MethodInfo& method, const Json& entry,
                       const std::vector<MethodInfo>& all) {
  MethodTraits traits{method.lossless,        !method.error_feedback, method.unbiased,
                      method.depends_on_link, method.depends_on_time, false};
  for (const auto& option : method.options) {
    const auto value = entry.value(option.name, option.default_value);
    if (!option.lossless_with.is_null() && value != option.lossless_with) traits.lossless = false;
    if (option.feeds_back && value == true) traits.stateless = false;
    const bool given = option.takes_decisions && value != option.default_value;
    if (given) traits.depends_on_link = false;
    if (given || contains(option.untimed, value)) traits.depends_on_time = false;
    if (contains(option.by_link, value)) traits.looks_at_links = true;
  }
  for (const auto& inner : inner_methods(method, entry)) {
    const auto* info = find_method(all, inner.value("name", ""));
    if (info == nullptr) continue;
    const auto of_inner = traits_of(*info, inner, all);
    traits.lossless = traits.lossless && of_inner.lossless;
    traits.unbiased = traits.unbiased && of_inner.unbiased;
    traits.stateless = traits.stateless && of_inner.stateless;
    traits.looks_at_links = traits.looks_at_links || of_inner.looks_at_links;
  }
  traits.looks_at_links = traits.looks_at_links || traits.depends_on_link;
  // A method with state sends a part of a gradient later, and that part adds to another iteration's
  // mean.
  traits.unbiased = traits.unbiased && traits.stateless;
  return traits;
}

const OptionSpec* decisions_option(const MethodInfo& method) {
  const auto found = std::find_if(method.options.begin(), method.options.end(),
                                  [](const OptionSpec& option) { return option.takes_decisions; });
  return found == method.options.end() ? nullptr : &*found;
}

}  // namespace pacbench
