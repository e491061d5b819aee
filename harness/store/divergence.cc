#include "harness/store/divergence.h"

#include "contract/worker/event_kind.h"
#include "contract/worker/worker_event.h"
#include "harness/store/files.h"

namespace pacbench::store {

bool has_diverged(const std::string& cell_folder) {
  bool diverged = false;
  while_event(cell_folder + "/events.jsonl", Broken::kEnd,
              [&](const Json& event, const std::string&, std::size_t) {
                diverged =
                    kind_of(event) == EventKind::kFailed && failed_event_from_json(event).diverged;
                return !diverged;
              });
  return diverged;
}

}  // namespace pacbench::store
