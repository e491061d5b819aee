#pragma once

#include <functional>
#include <string>

#include "harness/cell/record.h"

namespace pacbench::cell {

/// What to do with a line that is no event or that no newline ends, as a machine that died leaves
/// them: take it for the file's end, or refuse the file.
enum class Broken { kEnd, kRefuse };

/// A recorded event, its line's text and number (from 1).
using OnEvent = std::function<void(const Json& event, const std::string& line, std::size_t number)>;

/// Hands over the events of a file, one after the other; none when it is not there. This is where
/// recorded lines are read, compressed (base/text_file.h) or not. Throws ConfigError naming file
/// and line for a broken line that is to be refused, and std::system_error naming the file when it
/// cannot be read.
void for_each_event(const std::string& path, Broken broken, const OnEvent& take);

/// The same, up to the first event for which `take` returns false.
using WhileEvent =
    std::function<bool(const Json& event, const std::string& line, std::size_t number)>;
void while_event(const std::string& path, Broken broken, const WhileEvent& take);

/// Adds what the recorded lines of a cell say to `record`. Throws as for_each_event does.
CellRecord read_record(const std::string& cell_folder, CellRecord record);

}  // namespace pacbench::cell
