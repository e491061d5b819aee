#pragma once

#include <array>

#include "base/json/json_reader.h"
#include "base/words.h"

namespace pacbench {

/// How a cell ended.
enum class CellStatus { kDone, kFailed, kSkipped, kInterrupted };

template <>
struct Words<CellStatus> {
  static constexpr std::array kAll{"done", "failed", "skipped", "interrupted"};
};

}  // namespace pacbench
