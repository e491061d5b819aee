#include "harness/cell/divergence.h"

#include "harness/cell/files.h"

namespace pacbench::cell {

bool has_diverged(const std::string& cell_folder) {
  bool diverged = false;
  while_event(cell_folder + "/events.jsonl", Broken::kEnd,
              [&](const Json& event, const std::string&, std::size_t) {
                diverged = event.at("event") == "failed" && failed_event_from_json(event).diverged;
                return !diverged;
              });
  return diverged;
}

}  // namespace pacbench::cell
