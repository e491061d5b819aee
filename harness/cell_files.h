#pragma once

#include <functional>
#include <string>

#include "harness/cell_record.h"

namespace pacbench {

/// What to do with a last line that no newline ends: one that was cut off when the machine died.
enum class Unfinished { kLeaveOut, kRefuse };

/// A recorded event, its line's text and number (from 1).
using OnEvent = std::function<void(const Json& event, const std::string& line, std::size_t number)>;

/// Hands over the events of a file, one after the other; none when it is not there. Throws
/// ConfigError naming file and line where one is no event, and for an unfinished line that is to
/// be refused.
void for_each_event(const std::string& path, Unfinished unfinished, const OnEvent& take);

/// What the recorded lines of a cell say. Throws as for_each_event does.
CellRecord read_record(const std::string& cell_folder, double rate_bytes_per_s);

}  // namespace pacbench
