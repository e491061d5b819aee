#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/catalogue/method_entry.h"

namespace pacbench {

/// A training program of the user's own. It is the scenario's workload, or it stands under
/// "program" beside a workload. Beside one, it runs the methods named "program", and pacbench's own
/// worker runs the others.
struct Program {
  std::vector<std::string>
      command;                 ///< command[0] is looked up in PATH; "{seed}" is the cell's seed
  std::string folder;          ///< absolute; where it runs
  std::string written_folder;  ///< as the scenario gives it, and as results record it
  double time_limit_s = 3600;  ///< a cell that takes longer has failed
};

/// Whether the "workload" of a scenario, as written or canonical, is a program.
bool is_program_alone(const Json& scenario);

/// Reads a program. Its folder is relative to the folder of `source`, and by default that folder.
Program read_program(ObjectReader reader, const std::string& source);

/// Returns the program in canonical form.
Json program_to_json(const Program& program);

/// The words of one rank's command line: the command, then the method's arguments.
std::vector<std::string> command_line(const Program& program, const MethodEntry& method,
                                      std::int64_t seed);

/// The variables that the method adds, as NAME=value.
std::vector<std::string> environment_of(const MethodEntry& method, std::int64_t seed);

/// The JSON Schema of a program.
Json program_schema();

}  // namespace pacbench
