#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/record/link_probe.h"
#include "harness/store/files.h"

namespace pacbench::record {

/// The probes of a run, kept in probes.jsonl in its folder: a line for each probe, in the order
/// they were made, with the cells that the probe covers.
class ProbeBook {
 public:
  /// Reads the recorded probes. A broken line, as a machine that died leaves behind, is cut off
  /// with all that follows it (Broken::kEnd), or refused with ConfigError naming file and line
  /// (kRefuse). With kRefuse, a probe after a cell is refused too when there is none before the
  /// cell, or already one after it that did not fail.
  ProbeBook(const std::string& run_folder, store::Broken broken);

  /// Writes a line. Throws RecordingFailed naming the file.
  void add(const LinkProbe& probe);

  /// The last probe before a cell and, when it has been made, the one after it.
  std::vector<LinkProbe> of(const std::string& cell_folder_name) const;

  /// Whether a probe was made before the cell and none after it. A failed probe after the cell is
  /// taken for none.
  bool lacks_after(const std::string& cell_folder_name) const;

 private:
  void take(const LinkProbe& probe);
  void require_in_order(const LinkProbe& probe, std::size_t number) const;

  std::string path_;
  std::map<std::string, std::vector<LinkProbe>> of_cell_;
};

}  // namespace pacbench::record
