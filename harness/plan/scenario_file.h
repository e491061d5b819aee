#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench::plan {

struct ShippedScenario {
  std::string name;  ///< below its folder, without .json: "wan100", "paper/fig5-resnet152-cifar10"
  std::string path;
};

/// The scenarios in `folders`, sorted by name. When two have the same name, the one in the earlier
/// folder is listed. Profiles (NAME.profile.json) beside scenarios are left out.
std::vector<ShippedScenario> shipped_scenarios(const std::vector<std::string>& folders);

/// The file that a person means by `argument`, which may lack its .json: a path seen from the
/// current directory, else the name of a scenario in `folders`. Absent when there is none.
std::optional<std::string> find_scenario(const std::string& argument,
                                         const std::vector<std::string>& folders);

/// Finds a scenario as find_scenario() does, in the folders that came with pacbench; "-" stays as
/// it is. When there is none, throws ConfigError that says where it looked, and the nearest name if
/// one is near. A Python program is refused with the command that runs it.
std::string scenario_path(const std::string& argument);

/// The JSON document at a path; at "-", that on standard input. A user's scenario that says nothing
/// of time dilation gets "auto"; a recorded one has none then. Throws as read_json_file().
Json read_scenario(const std::string& path);

/// Applies one `--set /json/pointer=VALUE` to a scenario as it was read, before it is validated.
/// VALUE is JSON; what is not JSON is taken as a string. Everything but the last part of the
/// pointer must be there. The last part may be a new key of an object, which validation judges
/// later, but not a new element of an array. Throws ConfigError.
void apply_override(Json& scenario, const std::string& assignment);

}  // namespace pacbench::plan
