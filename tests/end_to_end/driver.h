#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/json/json_reader.h"
#include "base/subprocess.h"
#include "tests/emulation/eventually.h"

namespace pacbench {

/// Runs pacbench as a person would start it. What it prints goes to files.
class PacbenchProcess {
 public:
  /// `prefix` comes between env and pacbench: {"NAME=VALUE"}, {"prlimit", ...}.
  PacbenchProcess(const std::string& program, const std::vector<std::string>& arguments,
                  std::vector<std::string> prefix = {});

  void signal(int number) const { child_.signal(number); }
  int pid() const { return child_.pid(); }

  /// The host's PIDs of pacbench's descendants with this name.
  std::vector<int> descendants(const std::string& name) const;

  /// Waits for pacbench's end, and returns what it has printed.
  Output finish();

 private:
  TemporaryFolder folder_;
  ChildProcess child_;
};

/// Whether none of these processes is there any more; a zombie counts as gone.
bool all_gone(const std::vector<int>& pids);

/// The number of lines of a file, which may be compressed; 0 when there is no such file.
std::size_t lines_in(const std::string& path);

/// Every evaluation in a cell's curve.jsonl, in order.
std::vector<Json> evaluations_of(const std::string& cell_folder);

}  // namespace pacbench
