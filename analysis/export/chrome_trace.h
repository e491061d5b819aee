#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/json/json_reader.h"
#include "contract/worker/worker_event.h"

namespace pacbench::exports {

/// A function that writes the next piece of a file.
using Write = std::function<void(std::string_view)>;

/// Writes the JSON of Chrome's trace viewer, which Perfetto reads, event by event. Times are
/// nanoseconds and become microseconds with three decimals, so that nothing is rounded and slices
/// that nest do so in the file. Slices of one track must nest. A slice must be written before the
/// slices that it holds.
class ChromeTrace {
 public:
  explicit ChromeTrace(Write write);

  /// Processes are shown in the order of their numbers, which begin with 1. The tracks of a process
  /// are shown in the order of theirs, which begin with 0.
  void name_process(int process, const std::string& name);
  void name_track(int process, int track, const std::string& name);
  /// `category` is a word, `args` an object.
  void slice(int process, int track, const char* category, const std::string& name, Span span,
             const Json& args);
  /// The value holds until the counter's next one.
  void counter(int process, const char* name, const char* unit, std::int64_t at_ns, double value);
  void finish();

 private:
  void begin(char phase, int process, int track, std::string_view name);
  void end();
  void metadata(int process, int track, const char* kind, const Json& args);

  Write write_;
  std::string buffer_;
  bool any_ = false;
};

}  // namespace pacbench::exports
