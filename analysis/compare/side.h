#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "contract/result/result.h"
#include "contract/worker/worker_event.h"
#include "harness/store/manifest.h"
#include "harness/store/packed_run.h"
#include "harness/text/difference.h"

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

/// One cell of one run.
struct RecordedCell {
  const ComparedRun* run = nullptr;
  const CellResult* numbers = nullptr;
  const std::vector<EvaluationEvent>* curve = nullptr;
};

/// A method over a link with a seed, and its cell in every run of either side.
struct CellPair {
  std::string label;
  std::string link;
  std::int64_t seed = 0;
  std::vector<RecordedCell> base;
  std::vector<RecordedCell> next;
};

/// Pairs the cells of both sides: in the order in which cells first occur in base, then those of
/// `next` alone. Both sides must outlive what is returned.
std::vector<CellPair> pair_cells(const std::vector<ComparedRun>& base,
                                 const std::vector<ComparedRun>& next);

/// A run that differs from the first run of base, and one difference between the two.
/// first_mismatch() returns the first run that measured something else, with the first difference;
/// nothing when all runs measured the same thing. Runs must agree in mode and in the options of
/// each label that both have. Their scenarios must agree, without what compared_part() leaves out
/// (such as name, seeds and targets).
struct Mismatch {
  std::string folder;
  Difference difference;
};
std::optional<Mismatch> first_mismatch(const std::vector<ComparedRun>& base,
                                       const std::vector<ComparedRun>& next);

/// The differences of the runs' machines from that of the first run of base: CPU, cores, kernel.
/// Each deviating value is listed once, with the first run that has it.
std::vector<Mismatch> machine_mismatches(const std::vector<ComparedRun>& base,
                                         const std::vector<ComparedRun>& next);

}  // namespace pacbench::compare
