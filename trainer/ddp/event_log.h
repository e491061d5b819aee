#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "spec/worker_event.h"

namespace pacbench {

/// Writes events as JSON lines to standard output. Iterations are kept back until the clock stands
/// or two seconds have passed, so that turning them into text does not slow each step.
class EventLog {
 public:
  template <typename Event>
  void write(const Event& event) {
    flush();
    write_text(to_json(event).dump() + '\n');
  }

  void keep(IterationEvent event);
  void flush();

 private:
  void write_text(const std::string& text);

  std::deque<IterationEvent> kept_;
  std::int64_t last_flush_ns_ = 0;
};

}  // namespace pacbench
