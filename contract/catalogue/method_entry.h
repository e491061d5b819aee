#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/catalogue/catalogue.h"
#include "contract/catalogue/choice_json.h"

namespace pacbench {

struct MethodEntry {
  std::string label;
  Choice choice;
  std::optional<double> lr = std::nullopt;  ///< learning rate, in place of the workload's
  /// The choices that tuning tries in place of `choice`; empty without tuning.
  std::vector<Choice> settings = {};
  /// How many settings, each with a learning rate, were tried before `choice` and `lr` were chosen.
  std::int64_t tried = 1;
};

/// The name of every method that is a training program of the user's own. Such methods differ only
/// in their label, arguments and environment.
inline constexpr const char* kProgramMethod = "program";

inline bool is_program(const MethodEntry& method) { return method.choice.name == kProgramMethod; }

/// Whether the scenario says of a program that it means to send next to nothing over its links.
bool sends_little(const MethodEntry& method);

/// The choices that a method may run with: those that tuning tries, or its own.
inline std::vector<Choice> choices_of(const MethodEntry& method) {
  return method.settings.empty() ? std::vector{method.choice} : method.settings;
}

/// The default label of a method: its name, and the options that tell it from others. Methods
/// inside it are looked up in `all`.
std::string default_label(const MethodInfo& method, const Json& options,
                          const std::vector<MethodInfo>& all);

/// The label of a method that is the value `inner` of another method's option. Empty when options
/// are missing or the method is unknown.
std::string inner_label(const Json& inner, const std::vector<MethodInfo>& all);

/// Reads the "methods" of a scenario with a workload: methods of pacbench's own, and programs.
std::vector<MethodEntry> read_methods(ObjectReader& scenario, const Catalogue& catalogue);

/// Reads the "methods" of a scenario whose workload is a program: each must be a program.
std::vector<MethodEntry> read_program_methods(ObjectReader& scenario);

/// Returns the entry in canonical form: with the label and all options, defaults too. It leaves out
/// the learning rate and "tune" where the entry has none, and `tried` where it is 1.
Json to_json(const MethodEntry& method);

Json methods_schema(const Catalogue& catalogue);

}  // namespace pacbench
