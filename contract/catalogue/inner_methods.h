#pragma once

#include <string>
#include <vector>

#include "contract/catalogue/catalogue.h"

namespace pacbench {

/// The methods of `all` that may be inside another method.
std::vector<MethodInfo> averagers_of(const std::vector<MethodInfo>& all);

/// The methods inside `method` when it has these canonical options, each with its name and options.
std::vector<Json> inner_methods(const MethodInfo& method, const Json& options);

/// The method of that name among `all`; null when there is none.
const MethodInfo* find_method(const std::vector<MethodInfo>& all, const std::string& name);

}  // namespace pacbench
