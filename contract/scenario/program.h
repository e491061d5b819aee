#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/checked_keys.h"
#include "contract/catalogue/method_entry.h"

namespace pacbench {

/// A training program of the user's own. It is the scenario's workload, or it stands under
/// "program" beside a workload. Beside one, it runs the methods named "program", and pacbench's own
/// worker runs the others.
struct Program {
  std::vector<std::string> command;  ///< command[0] is looked up in PATH
  std::string folder;                ///< absolute; where it runs
  std::string written_folder;        ///< as the scenario gives it, and as results record it
  double time_limit_s = 3600;
};

template <>
struct JsonFields<Program> {
  using T = Program;
  static constexpr std::tuple kAll{
      required("command", &T::command, Bounds{}.with_entries(1),
               "the program and its first arguments; {seed} stands for the cell's seed"),
      apart(defaulted("folder", &T::written_folder, {},
                      "folder in which the program runs, relative to the scenario's folder; by "
                      "default that folder itself")),
      defaulted("time_limit_s", &T::time_limit_s, Range{1.0, 604800.0},
                "seconds; a cell that takes longer has failed")};
};

/// Whether the "workload" of a scenario, as written or canonical, is a program.
bool is_program_alone(const Json& scenario);

/// Reads a program. Its folder is relative to the folder of `source`, and by default that folder.
Program read_program(ObjectReader reader, const std::string& source);

/// The words of one rank's command line: the command, then the method's arguments.
std::vector<std::string> command_line(const Program& program, const MethodEntry& method,
                                      std::int64_t seed);

/// The variables that the method adds, as NAME=value.
std::vector<std::string> environment_of(const MethodEntry& method, std::int64_t seed);

}  // namespace pacbench
