#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/worker/event_kind.h"
#include "contract/worker/worker_event.h"

namespace pacbench::store {

std::string cell_folder_of(const std::string& run_folder, const std::string& cell_name);

/// The treatment of a line that is no event or has no newline, as a machine that died leaves
/// behind. kEnd takes the line for the end of the file; kRefuse refuses the file.
enum class Broken { kEnd, kRefuse };

/// Receives a recorded event, and the text and the number (from 1) of its line.
using OnEvent = std::function<void(const Json& event, const std::string& line, std::size_t number)>;

/// Calls `take` with the events of a file, one after the other; never when there is no file. This
/// function and while_event() read recorded lines, compressed (base/text_file.h) or not. Throws
/// ConfigError naming file and line for a broken line that is to be refused, and std::system_error
/// naming the file when it cannot be read.
void for_each_event(const std::string& path, Broken broken, const OnEvent& take);

/// Like for_each_event, up to the first event for which `take` returns false.
using WhileEvent =
    std::function<bool(const Json& event, const std::string& line, std::size_t number)>;
void while_event(const std::string& path, Broken broken, const WhileEvent& take);

/// The evaluations of a cell, in their order; none when there is no curve.jsonl. Throws as
/// for_each_event does, and ConfigError naming file and line when one cannot be read.
std::vector<EvaluationEvent> read_curve(const std::string& cell_folder,
                                        Broken broken = Broken::kRefuse);

/// Whether a cell failed because training diverged. Such a cell would diverge again; a cell that
/// failed for any other reason (a time-out, no memory, a full disk) says nothing of its method.
/// Throws as for_each_event does.
bool has_diverged(const std::string& cell_folder);

}  // namespace pacbench::store
