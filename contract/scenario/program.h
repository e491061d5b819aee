#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "contract/catalogue/method_entry.h"

namespace pacbench {

/// A training program of the user's own, in the place of pacbench's worker. Its methods differ in
/// their arguments and environment alone.
struct Program {
  std::vector<std::string>
      command;                 ///< command[0] is looked up in PATH; "{seed}" is the cell's seed
  std::string folder;          ///< absolute; where it runs
  double time_limit_s = 3600;  ///< a cell that takes longer has failed
};

/// The name of every method of such a scenario.
inline constexpr const char* kProgramMethod = "program";

/// Whether the "workload" of a scenario, as written or canonical, has a program.
bool has_program(const Json& scenario);

/// Reads the workload of a scenario that has a program; its folder is relative to that of `source`,
/// and by default is that one.
Program read_program(ObjectReader reader, const std::string& source);

/// Reads the "methods" of such a scenario: {"name": "program", "label": …, "arguments": […],
/// "environment": {…}}.
std::vector<MethodEntry> read_program_methods(ObjectReader& scenario);

/// In canonical form.
Json program_to_json(const Program& program);

/// The words of one rank's command line: the command with the method's arguments behind it.
std::vector<std::string> command_line(const Program& program, const MethodEntry& method,
                                      std::int64_t seed);

/// The variables that the method adds, as NAME=value.
std::vector<std::string> environment_of(const MethodEntry& method, std::int64_t seed);

/// The JSON Schemas of such a workload, and of one of its methods.
Json program_schema();
Json program_method_schema();

}  // namespace pacbench
