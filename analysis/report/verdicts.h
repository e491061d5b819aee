#pragma once

namespace pacbench::report {

/// The words of formats and tables: whether a link was as declared, and whether computing on this
/// host set the step time.
inline const char* link_verdict_word(bool suspect) { return suspect ? "suspect" : "ok"; }
/// The word that tables and sentences show in place of the verdicts of a simulation, which has
/// neither a link nor a host to judge. JSON and CSV give both of its verdicts as "ok".
inline constexpr const char* kSimulatedWord = "simulated";

inline const char* host_verdict_word(bool cpu_bound) { return cpu_bound ? "cpu-bound" : "ok"; }

}  // namespace pacbench::report
