#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contract/result/result.h"
#include "contract/worker/worker_event.h"
#include "harness/store/manifest.h"
#include "harness/store/packed_run.h"

namespace pacbench::compare {

/// A results folder as a comparison reads it: manifest.json, result.json and, of each cell that is
/// done, curve.jsonl.
struct ComparedRun {
  std::string folder;
  RunResult result;
  store::Manifest manifest;
  std::vector<std::vector<EvaluationEvent>> curves;  ///< by cell of result; empty where not done
  std::shared_ptr<const store::RunPath> source{};    ///< keeps an archive's files unpacked

  const Environment& machine() const { return manifest.environment; }
};

/// Throws ConfigError, naming file and place, when the folder holds no run, or files that
/// contradict each other. It throws the same for a run that was broken off or has another format.
/// Throws std::system_error when a file cannot be read.
ComparedRun read_compared_run(const std::string& path);

/// One side of a comparison: a results folder, a folder of such folders (in the order of their
/// names), or several of either with commas between them. Throws as read_compared_run does, and
/// ConfigError when there is no run at all.
std::vector<ComparedRun> read_side(const std::string& argument);

}  // namespace pacbench::compare
