#pragma once

#include <string>

#include "contract/catalogue/choice.h"

namespace pacbench::trainer {

/// A method with `options`, and its defaults for the options that are not given, as a scenario's
/// entry is read. Throws std::invalid_argument for a name that is not in the table.
Choice with_defaults(const std::string& method, const Json& options = Json::object());

/// As with_defaults. An option that is not given has the preset's value, or its default where the
/// preset has none. Throws std::invalid_argument for an unknown preset too.
Choice with_preset(const std::string& method, const std::string& preset,
                   const Json& options = Json::object());

}  // namespace pacbench::trainer
