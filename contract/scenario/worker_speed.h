#pragma once

#include <string>

#include "base/json/json_reader.h"

namespace pacbench {

/// How fast forward and backward of a worker are. A document has the number, or
/// {"compute_ms": milliseconds} of an iteration.
struct WorkerSpeed {
  static constexpr Range kTimes{0.001, 1000.0};

  double times = 1;       ///< a core of this machine, or the profile of modes compose and simulate
  double compute_ms = 0;  ///< of forward and backward together; 0: as `times` says

  bool operator==(const WorkerSpeed&) const = default;

  static WorkerSpeed read(ObjectReader& reader, const char* key);
  static Json schema();
};
void to_json(Json& json, const WorkerSpeed& speed);
void from_json(const Json& json, WorkerSpeed& speed);

}  // namespace pacbench
