#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/record/link_probe.h"
#include "harness/store/files.h"

namespace pacbench::record {

/// The probes of a run, as probes.jsonl in its folder has them: a line for each, in the order they
/// were made, each with the cells that it speaks for.
class ProbeBook {
 public:
  /// Reads what is there. A broken line and what follows it, as a machine that died leaves them,
  /// are cut off (Broken::kEnd), or refused with ConfigError naming file and line, as is a probe
  /// after a cell that there is none before.
  ProbeBook(const std::string& run_folder, store::Broken broken);

  /// Writes a line. Throws RecordingFailed naming the file.
  void add(const LinkProbe& probe);

  /// The last probe before a cell and, when it has been made, the one after it.
  std::vector<LinkProbe> of(const std::string& cell_folder_name) const;

  /// A probe was made before the cell and none after it.
  bool lacks_after(const std::string& cell_folder_name) const;

 private:
  void take(const LinkProbe& probe);
  void require_in_order(const LinkProbe& probe, std::size_t number) const;

  std::string path_;
  std::map<std::string, std::vector<LinkProbe>> of_cell_;
};

}  // namespace pacbench::record
