#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduce/steps.h"
#include "analysis/reproduce/table1.h"
#include "analysis/reproduce/verdict.h"
#include "harness/store/read_result.h"

namespace pacbench::reproduce {

/// The judgement of a claim in one population of settings: the paper's, or our own.
struct Judgement {
  Finding finding = Finding::kNotTestable;
  std::string why;
  std::vector<ArmAnswer> arms;      ///< those of the paper first
  std::optional<std::size_t> best;  ///< index of the paper's arm that decides; null: none measured

  /// The arm that represents the judgement, whether it decides or not; null where nothing was
  /// measured.
  const ArmAnswer* shown() const;
};

/// The judgement in the paper's settings, and in our own where the claim is tested there too.
struct ClaimAnswer : Judgement {
  const Claim* claim = nullptr;
  std::optional<Judgement> here;
};

/// The facts that identify a run and allow one to repeat it.
struct RunIdentity {
  std::string path;
  std::string name;
  Mode mode = Mode::kEmulate;
  /// The commands as typed, each once: the one that began the run, then all that resumed it or
  /// counted it anew. None without a manifest.
  std::vector<std::string> commands;
  std::string scenario_hash;
  std::string comparison_hash;
  std::vector<std::string> commits;  ///< of the programs that made the run, each once
  std::string host;
  std::size_t cells = 0;
  std::size_t planned = 0;
};

/// The claims of a paper with our answers.
struct Reproduction {
  static constexpr const char* kFormat = "pacbench.reproduction/2";

  const Claims* of = nullptr;
  std::vector<ClaimAnswer> claims;  ///< in the order of `of`
  std::vector<Table1> tables_1;
  std::vector<StepMatrix> steps;
  std::vector<RunIdentity> runs;
  std::vector<std::string> notes;  ///< of the report's sections, each once

  /// The number of claims with this finding. Claims that no run can answer count as kNotTestable.
  std::size_t count(Finding finding) const;
  /// Whether any claim was answered at all, in the paper's settings or in ours.
  bool answers_any() const;
};

/// Judges all claims by `runs`, of which there must be at least one. `claims` must outlive what is
/// returned. Throws as Measurements does.
Reproduction reproduce(const Claims& claims, const std::vector<store::NamedResult>& runs,
                       const Catalogue& catalogue);

/// Writes one page. `evidence` is the folder of evidence.json, evidence.html and claims.svg, seen
/// from the page; empty where they were not written.
std::string render_markdown(const Reproduction& reproduction, const std::string& evidence = "");
Json to_json(const Reproduction& reproduction);
Json reproduction_schema();

}  // namespace pacbench::reproduce
