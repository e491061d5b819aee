#pragma once

#include <array>

#include "base/json_reader.h"
#include "base/words.h"

namespace pacbench {

/// The mode of a run.
enum class Mode {
  kEmulate,   ///< trains in processes over shaped links
  kLearn,     ///< trains in one process, without links: learning curves alone
  kCompose,   ///< exchanges over shaped links without computing, at the times of a profile
  kSimulate,  ///< neither computes nor exchanges: a model of links carries what a profile recorded
};

template <>
struct Words<Mode> {
  static constexpr std::array kAll{"emulate", "learn", "compose", "simulate"};
};

}  // namespace pacbench
