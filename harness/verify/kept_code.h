#pragma once

#include <optional>
#include <string>

#include "base/files.h"
#include "harness/store/recorded_run.h"

namespace pacbench::verify {

/// A folder with the Python files of a run's classes as the run kept them: the folder that they
/// came from where they are still the same, since a task's data may lie beside them, else a
/// temporary one. The constructor throws ConfigError where the run kept none, or one that lay
/// outside that folder.
class KeptCode {
 public:
  explicit KeptCode(const store::RecordedRun& run);
  const std::string& folder() const { return folder_; }

 private:
  std::optional<TemporaryFolder> temporary_;
  std::string folder_;
};

}  // namespace pacbench::verify
