#pragma once

#include "base/json/json_reader.h"
#include "contract/catalogue/method_entry.h"

namespace pacbench {

/// The name of every method that is a training program of the user's own. Such methods differ only
/// in their label, arguments and environment.
inline constexpr const char* kProgramMethod = "program";

inline bool is_program(const MethodEntry& method) { return method.choice.name == kProgramMethod; }

/// Whether the scenario says of a program that it means to send next to nothing over its links.
bool sends_little(const MethodEntry& method);

/// Reads {"name": "program", "label": …, "arguments": […], "environment": {…}, "sends_little": …,
/// "optimizer": {"lr": …}, "tune": […], "tried": …}.
/// The method's options are the arguments, the environment, and sends_little where it is true.
MethodEntry read_program_method(ObjectReader& reader);

/// The JSON Schema of a method that is a program.
Json program_method_schema();

}  // namespace pacbench
