#pragma once

#include <vector>

#include "analysis/figures/lines.h"
#include "analysis/report/report.h"

namespace pacbench::figures {

/// The data behind the panels of figures: a section of a report, and its runs.
struct FigureSource {
  const report::ReportSection& section;
  const std::vector<store::NamedResult>& runs;
};

/// Each function from here to scaling_panels() returns the panels of one figure: an array of
/// objects with a "title" and the numbers to be drawn. The array is empty when the section has no
/// data. docs/METRICS.md and docs/STATISTICS.md define the numbers, plots/pacbench_plots draws
/// them. The functions throw ConfigError naming the file when a line of a cell cannot be read.

/// Accuracy against training-clock time, a panel per link: medians over seeds, with ranges.
Json accuracy_time_panels(const FigureSource& source);
/// Accuracy against iterations. Only the first link with curves is shown, since links change the
/// curves of few methods (MethodTraits::depends_on_link, depends_on_time).
Json accuracy_iteration_panels(const FigureSource& source);
/// Final accuracy of methods against their pruning ratio, and that of all-reduce, over the first
/// link that has methods with a pruning ratio.
Json accuracy_pruning_panels(const FigureSource& source);
/// TTA divided by that of all-reduce, a panel per target, the links side by side.
Json relative_tta_panels(const FigureSource& source);
/// The parts of an iteration, a panel per link.
Json phase_panels(const FigureSource& source);
/// Bytes that a worker sent per iteration, as measured and as declared, a panel per link.
Json byte_panels(const FigureSource& source);
/// TTA against the rate of links that differ in nothing else, a panel per such group of links and
/// target.
Json bandwidth_panels(const FigureSource& source);
/// Final accuracy against speed-up over all-reduce, a panel per link and target.
Json pareto_panels(const FigureSource& source);

/// Simulated methods by number of workers: time per iteration, bytes on the busiest link and
/// efficiency, one panel each for every workload, topology, link and rate. The panels are made from
/// all sections together.
Json scaling_panels(const std::vector<report::ReportSection>& sections);

/// A typical iteration of each method over each link, of the first seed that recorded one; empty in
/// mode learn. Every rank's spans are in ms from the start of the earliest step.
Json timelines(const FigureSource& source);

/// Returns for each link the evidence of how far link and host can be trusted: every cell with its
/// status and verdicts, and every probe with its flows. Throws ConfigError naming file and line
/// when a line of probes.jsonl is no probe.
Json fidelity(const FigureSource& source);
Json fidelity_schema();  ///< of what it has for a link

/// The path and manifest of each run. The manifest lacks the scenario, and is null for a run
/// without manifest.json. Throws ConfigError naming the file when it is no manifest.
Json environments(const std::vector<store::NamedResult>& runs);

}  // namespace pacbench::figures
