#pragma once

#include <string>

#include "contract/catalogue/choice.h"

namespace pacbench::trainer {

/// A method with these options, and its defaults for those that are not given: what a scenario's
/// entry comes to. Throws std::invalid_argument for a name that is not in the table.
Choice with_defaults(const std::string& method, const Json& options = Json::object());

/// The same with the options of a preset for those that are not given. Throws std::invalid_argument
/// for an unknown preset too.
Choice with_preset(const std::string& method, const std::string& preset,
                   const Json& options = Json::object());

}  // namespace pacbench::trainer
