#pragma once

#include <cstdint>

#include "base/json/json_reader.h"

namespace pacbench::probe {

/// Whether standard input has ended, which tells this program to stop.
bool told_to_stop();

/// Waits until `due_ns` (CLOCK_MONOTONIC) or until told to stop. Returns whether it was told.
bool stopped_before(std::int64_t due_ns);

/// Reads the line that --await-go waits for, whatever its text. False when standard input ended
/// instead.
bool await_go();

/// Prints one JSON object as a line, whole even when threads print at the same time.
void print_line(const Json& object);

/// Puts this process and the threads it starts into the real-time class that the workers'
/// communication threads use. False where that is not allowed.
bool enter_real_time();

}  // namespace pacbench::probe
