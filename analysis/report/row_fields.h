#pragma once

#include <array>

#include "analysis/report/row.h"

namespace pacbench::report {

/// A number of a row: JSON, its schema and CSV go by this table, so that they cannot disagree.
struct RowField {
  const char* key;
  std::optional<statistics::Spread> ReportRow::*member;
  const char* help;  ///< docs/METRICS.md has the formula
};

inline constexpr std::array<RowField, 32> kRowFields{{
    {"iterations_run", &ReportRow::iterations_run, "of a cell"},
    {"time_per_iteration_s", &ReportRow::time_per_iteration_s, "median step, s"},
    {"samples_per_s", &ReportRow::samples_per_s, "over all workers"},
    {"compute_s", &ReportRow::compute_s, "forward and backward, s"},
    {"exposed_s", &ReportRow::exposed_s, "wait for means after backward, s"},
    {"encode_s", &ReportRow::encode_s, "exchange without a collective under way, s"},
    {"wire_s", &ReportRow::wire_s, "at least one collective under way, s"},
    {"late_s", &ReportRow::late_s,
     "mode compose: that a rank overslept in the place of work, with nothing under way, s"},
    {"overlap", &ReportRow::overlap, "share of wire_s that is not exposed"},
    {"compute_share", &ReportRow::compute_share, "of the time per iteration"},
    {"encode_share", &ReportRow::encode_share,
     "of the time per iteration; counted in compute or exposed too"},
    {"exposed_share", &ReportRow::exposed_share, "of the time per iteration"},
    {"link_use", &ReportRow::link_use,
     "share of wire_s that the bytes sent need at the link's rate"},
    {"vnmse", &ReportRow::vnmse, "of the aggregated gradient"},
    {"cosine", &ReportRow::cosine, "of the aggregated gradient and the exact mean"},
    {"density", &ReportRow::density,
     "share of the aggregated gradient's entries that are not zero"},
    {"residual_norm", &ReportRow::residual_norm, "of what error feedback holds back"},
    {"final_accuracy", &ReportRow::final_accuracy, "of the last evaluation"},
    {"best_accuracy", &ReportRow::best_accuracy, "highest of all evaluations"},
    {"final_loss", &ReportRow::final_loss, "of the last evaluation"},
    {"best_loss", &ReportRow::best_loss, "lowest of all evaluations"},
    {"measured_bytes_per_iteration", &ReportRow::measured_bytes_per_iteration,
     "wire bytes that a worker sent"},
    {"expected_bytes_per_iteration", &ReportRow::expected_bytes_per_iteration,
     "bytes that the method declares, with headers"},
    {"explained_bytes_per_iteration", &ReportRow::explained_bytes_per_iteration,
     "wire bytes that collectives and counted frames account for"},
    {"trunk_bytes_per_iteration", &ReportRow::trunk_bytes_per_iteration,
     "wire bytes over a link between switches, both directions, mean over these links"},
    {"busiest_link_bytes_per_iteration", &ReportRow::busiest_link_bytes_per_iteration,
     "wire bytes over the direction of a link that carried most"},
    {"payload_bytes_per_iteration", &ReportRow::payload_bytes_per_iteration,
     "bytes handed to collectives"},
    {"pruning_s", &ReportRow::pruning_s, "spent on pruning, on the clock, s"},
    {"kept_fraction", &ReportRow::kept_fraction, "of the prunable weights"},
    {"compacted_from", &ReportRow::compacted_from, "first iteration with every bucket compacted"},
    {"dense_share", &ReportRow::dense_share, "of exchanges, because no mask was agreed"},
    {"overhead_s", &ReportRow::overhead_s, "training clock beyond median steps, s"},
}};

}  // namespace pacbench::report
