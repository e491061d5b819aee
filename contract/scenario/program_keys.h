#pragma once

#include "base/json/checked_keys.h"
#include "contract/scenario/program.h"

/// The keys of a program of the user's own, for reader, writer and schema.
namespace pacbench {

template <>
struct JsonFields<Program> {
  using T = Program;
  static constexpr std::tuple kAll{
      required("command", &T::command, Bounds{}.with_entries(1),
               "the program and its first arguments; {seed} stands for the cell's seed"),
      apart(defaulted("folder", &T::folder, {},
                      "folder in which the program runs, relative to the scenario's folder; by "
                      "default that folder itself")),
      defaulted("time_limit_s", &T::time_limit_s, Range{1.0, 604800.0},
                "seconds; a cell that takes longer has failed")};
};

}  // namespace pacbench
