#pragma once

#include "base/checked_keys.h"
#include "contract/scenario/program.h"

/// The keys of a workload that is a program of the user's own, for reader, writer and schema.
namespace pacbench {

template <>
struct JsonFields<Program> {
  using T = Program;
  static constexpr std::tuple kAll{
      required("command", &T::command, Bounds{}.with_entries(1),
               "the program and its first arguments; {seed} stands for the cell's seed"),
      apart(defaulted("folder", &T::folder, {},
                      "where it runs, relative to the scenario's folder, which it is by default")),
      defaulted("time_limit_s", &T::time_limit_s, Range{1.0, 604800.0},
                "a cell that takes longer has failed")};
};

}  // namespace pacbench
