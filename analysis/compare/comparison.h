#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/compare/carried.h"
#include "analysis/compare/gate.h"
#include "analysis/compare/timed.h"
#include "base/words.h"

namespace pacbench::compare {

/// The outcome of a comparison: the first of these that holds, from the worst down.
enum class Outcome {
  kRegressed,     ///< the gate is broken, or a time regressed
  kIncomparable,  ///< the machines differ: no check is broken, no time compared
  kInconclusive,  ///< nothing is known to be worse, but not all could be decided
  kFine,
};

}  // namespace pacbench::compare

namespace pacbench {

template <>
struct Words<compare::Outcome> {
  static constexpr std::array kAll{"regression", "incomparable", "inconclusive", "no regression"};
};

}  // namespace pacbench

namespace pacbench::compare {

/// One side, as the heading of a comparison shows it.
struct SideSummary {
  std::vector<std::string> folders;
  std::vector<std::string> commits;  ///< each once
};

/// Two sides compared with each other; see docs/STATISTICS.md.
struct Comparison {
  static constexpr const char* kFormat = "pacbench.comparison/3";

  CompareOptions options;
  std::string scenario;  ///< its name
  Mode mode = Mode::kEmulate;
  std::string comparison_hash;
  std::string machine;
  SideSummary base;
  SideSummary next;
  std::vector<Mismatch> machines;  ///< when not empty, no time was compared
  std::vector<GateCheck> gate;
  std::vector<TimedRow> rows;       ///< empty in mode learn, where nothing is timed
  std::vector<CarriedRow> carried;  ///< in place of times, where machines differ
  Outcome outcome = Outcome::kFine;
};

/// Compares two sides that measured the same thing (first_mismatch() found nothing).
Comparison compare(const std::vector<ComparedRun>& base, const std::vector<ComparedRun>& next,
                   const CompareOptions& options);

/// Renders the comparison: as text for a terminal of `columns`, as Markdown for a comment on a pull
/// request, and as JSON for programs.
std::string render_text(const Comparison& comparison, std::size_t columns);
std::string render_markdown(const Comparison& comparison);
Json to_json(const Comparison& comparison);

/// JSON Schema (draft-07) of to_json(Comparison).
Json comparison_schema();

}  // namespace pacbench::compare
