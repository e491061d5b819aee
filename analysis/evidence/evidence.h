#pragma once

#include <string>
#include <vector>

#include "analysis/report/merge.h"
#include "base/files.h"
#include "base/json_reader.h"
#include "harness/text/table.h"

namespace pacbench::evidence {

/// Whether `path` is one that tools/gpu-evidence packs, by its name, and not a run.
bool is_archive(const std::string& path);

/// The archive that tools/gpu-evidence packed, unpacked as long as this lives.
class Evidence {
 public:
  /// Throws ConfigError naming the archive when it is another one, or not safe to unpack.
  explicit Evidence(const std::string& archive);

  /// One group for each run, in the order of their names: they differ in more than runs of one
  /// report may. `as_packed`: their paths are those in the archive, not those of the files.
  std::vector<report::MergedRuns> runs(bool as_packed) const;

  /// On what it was made, and that it is a rehearsal on the CPU when it is one.
  std::string title() const;
  Table steps() const;
  /// Times of a step beside those of PyTorch; no rows when there are none.
  Table times() const;

 private:
  std::string archive_;
  TemporaryFolder unpacked_;
  std::string folder_;
  Json facts_;
};

}  // namespace pacbench::evidence
