#pragma once

#include <string>
#include <vector>

#include "analysis/report/merge.h"
#include "base/files.h"
#include "base/json_reader.h"
#include "harness/text/table.h"

namespace pacbench::evidence {

/// Whether `path` is a file whose name ends in .tar.gz, as archives of tools/gpu-evidence do.
bool is_archive(const std::string& path);

/// An archive that tools/gpu-evidence packed. The object keeps it unpacked in a temporary folder.
/// title() and steps() use evidence.json, times() reads ddp.jsonl. All three throw ConfigError
/// naming the archive when the file is not as tools/gpu-evidence writes it.
class Evidence {
 public:
  /// Throws ConfigError naming the archive when it is no .tar.gz, is not safe to unpack or its
  /// evidence.json has another "format". Throws std::system_error when it lacks evidence.json.
  explicit Evidence(const std::string& archive);

  /// Returns one group for each run that has a result.json, in the order of names. Runs are not
  /// merged, as they differ in more than a group allows. With `as_packed` the paths of runs are
  /// those in the archive, not those of the unpacked files. Throws ConfigError when no run has a
  /// result.
  std::vector<report::MergedRuns> runs(bool as_packed) const;

  /// Returns the hardware that made the evidence, and says when it is only a rehearsal on the CPU.
  std::string title() const;
  Table steps() const;
  /// Step times of pacbench and of PyTorch; no rows when the archive has none.
  Table times() const;

 private:
  std::string archive_;
  TemporaryFolder unpacked_;
  std::string folder_;
  Json facts_;
};

}  // namespace pacbench::evidence
