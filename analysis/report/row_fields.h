#pragma once

#include <array>

#include "analysis/report/row.h"

namespace pacbench::report {

/// A number of a row. JSON, its schema and CSV are all made from this table, so that they cannot
/// disagree.
struct RowField {
  const char* key;
  std::optional<statistics::Spread> ReportRow::*member;
  const char* help;  ///< docs/METRICS.md and docs/STATISTICS.md have the formulas
};

inline constexpr std::array<RowField, 35> kRowFields{{
    {"iterations_run", &ReportRow::iterations_run, "iterations that a cell ran"},
    {"time_per_iteration_s", &ReportRow::time_per_iteration_s,
     "time of an iteration over whole periods; where each iteration exchanges, the median step, s"},
    {"mean_iteration_s", &ReportRow::mean_iteration_s,
     "time per iteration, mean over all iterations, without pruning, s"},
    {"samples_per_s", &ReportRow::samples_per_s, "over all workers, by mean_iteration_s"},
    {"compute_s", &ReportRow::compute_s, "forward and backward, s"},
    {"exposed_s", &ReportRow::exposed_s, "waiting for means after backward, s"},
    {"encode_s", &ReportRow::encode_s,
     "time of exchanges outside their own collectives, summed over buckets, s"},
    {"wire_s", &ReportRow::wire_s, "time with at least one collective under way, s"},
    {"late_s", &ReportRow::late_s,
     "mode compose and time dilation: time that a rank waited for a CPU that it was to have, with "
     "no collective under way, s"},
    {"taken_share", &ReportRow::taken_share,
     "share of the CPUs' time that a hypervisor, other programs or a quota took"},
    {"overlap", &ReportRow::overlap, "share of wire_s that is not exposed"},
    {"compute_share", &ReportRow::compute_share, "share of the time per iteration"},
    {"encode_share", &ReportRow::encode_share,
     "share of the time per iteration; also counted in compute or exposed"},
    {"exposed_share", &ReportRow::exposed_share, "share of the time per iteration"},
    {"least_wire_s", &ReportRow::least_wire_s,
     "of a user's own program: time that the bytes a rank sent need at the link's rate, s"},
    {"link_use", &ReportRow::link_use,
     "share of wire_s that the bytes sent need at the link's rate"},
    {"vnmse", &ReportRow::vnmse,
     "normalised squared error of the aggregated gradient against the exact mean"},
    {"cosine", &ReportRow::cosine, "cosine of the aggregated gradient and the exact mean"},
    {"density", &ReportRow::density,
     "share of the aggregated gradient's entries that are not zero"},
    {"residual_norm", &ReportRow::residual_norm, "norm of what error feedback holds back"},
    {"final_accuracy", &ReportRow::final_accuracy, "of the last evaluation"},
    {"best_accuracy", &ReportRow::best_accuracy, "highest of all evaluations"},
    {"final_loss", &ReportRow::final_loss, "of the last evaluation"},
    {"best_loss", &ReportRow::best_loss, "lowest of all evaluations"},
    {"measured_bytes_per_iteration", &ReportRow::measured_bytes_per_iteration,
     "wire bytes that a worker sent"},
    {"expected_bytes_per_iteration", &ReportRow::expected_bytes_per_iteration,
     "bytes that the method declares, with headers except in mode learn"},
    {"explained_bytes_per_iteration", &ReportRow::explained_bytes_per_iteration,
     "wire bytes that collectives and counted frames account for"},
    {"trunk_bytes_per_iteration", &ReportRow::trunk_bytes_per_iteration,
     "wire bytes over a link between switches, both directions, mean over these links"},
    {"busiest_link_bytes_per_iteration", &ReportRow::busiest_link_bytes_per_iteration,
     "wire bytes over that direction of a link which carried the most bytes"},
    {"payload_bytes_per_iteration", &ReportRow::payload_bytes_per_iteration,
     "bytes handed to collectives"},
    {"pruning_s", &ReportRow::pruning_s, "time spent on pruning while the clock ran, s"},
    {"kept_fraction", &ReportRow::kept_fraction, "share of the prunable weights that is kept"},
    {"compacted_from", &ReportRow::compacted_from, "first iteration with every bucket compacted"},
    {"dense_share", &ReportRow::dense_share,
     "share of exchanges that were dense because no mask was agreed"},
    {"overhead_s", &ReportRow::overhead_s,
     "time on the training clock beyond iterations × median time per iteration, s"},
}};

}  // namespace pacbench::report
