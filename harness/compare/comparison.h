#pragma once

#include <string>
#include <vector>

#include "harness/compare/carried.h"
#include "harness/compare/gate.h"
#include "harness/compare/timed.h"

namespace pacbench::compare {

/// What a comparison comes to; the worst that holds, from the top.
enum class Outcome {
  kRegressed,     ///< the gate is broken, or a time regressed
  kIncomparable,  ///< the machines differ: the gate holds, times say nothing
  kInconclusive,  ///< nothing is worse as far as can be told, and not all can be told
  kFine,
};

/// One side, as the heading of a comparison shows it.
struct SideSummary {
  std::vector<std::string> folders;
  std::vector<std::string> commits;  ///< each once
};

/// Two sides held against each other; see docs/METRICS.md.
struct Comparison {
  static constexpr const char* kFormat = "pacbench.comparison/3";

  CompareOptions options;
  std::string scenario;  ///< its name
  std::string mode;
  std::string comparison_hash;
  std::string machine;
  SideSummary base;
  SideSummary next;
  std::vector<Mismatch> machines;  ///< not empty: no time was compared
  std::vector<GateCheck> gate;
  std::vector<TimedRow> rows;       ///< empty in mode learn, where nothing is timed
  std::vector<CarriedRow> carried;  ///< of machines that differ, in the place of times
  Outcome outcome = Outcome::kFine;
};

/// Both sides measured the same thing (first_mismatch() found nothing).
Comparison compare(const std::vector<ComparedRun>& base, const std::vector<ComparedRun>& next,
                   const CompareOptions& options);

const char* word_of(Outcome outcome);

/// The comparison for a terminal of `columns`, for a comment on a pull request, for programs.
std::string render_text(const Comparison& comparison, std::size_t columns);
std::string render_markdown(const Comparison& comparison);
Json to_json(const Comparison& comparison);

/// JSON Schema (draft-07) of to_json(Comparison).
Json comparison_schema();

}  // namespace pacbench::compare
