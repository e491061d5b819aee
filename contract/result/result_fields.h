#pragma once

#include <array>

#include "contract/result/result.h"

namespace pacbench::result_fields {

/// One key of a cell: its name in the document, the member that holds its value, and what it means.
/// Writing, reading and the schema all use these tables, so that they cannot disagree.
template <typename Value>
struct Field {
  const char* key;
  Value CellResult::*member;
  const char* help;
};

inline constexpr std::array<Field<double>, 15> kNumbers{{
    {"training_s", &CellResult::training_s, "training clock of rank 0 at the end, s"},
    {"time_per_iteration_s", &CellResult::time_per_iteration_s, "median step of rank 0, s"},
    {"samples_per_s", &CellResult::samples_per_s, "training samples a second, all workers"},
    {"measured_bytes_per_iteration", &CellResult::measured_bytes_per_iteration,
     "wire bytes that a worker sent, mean over workers"},
    {"received_bytes_per_iteration", &CellResult::received_bytes_per_iteration,
     "wire bytes that a worker received, mean over workers"},
    {"expected_bytes_per_iteration", &CellResult::expected_bytes_per_iteration,
     "bytes that a worker should send by the method's declaration, mean over workers; frame "
     "headers are added, except in mode learn"},
    {"payload_bytes_per_iteration", &CellResult::payload_bytes_per_iteration,
     "bytes handed to collectives, mean over workers"},
    {"compute_s", &CellResult::compute_s, "median forward and backward, s"},
    {"exposed_s", &CellResult::exposed_s, "median wait for the mean gradients after backward, s"},
    {"encode_s", &CellResult::encode_s,
     "median time that buckets' exchanges spend with no collective of the bucket under way, s"},
    {"wire_s", &CellResult::wire_s, "median time with at least one collective under way, s"},
    {"scheduling_floor_ms", &CellResult::scheduling_floor_ms,
     "median time of small all-reduces before the training clock starts, less what the links' "
     "delay and rate add, ms"},
    {"pruning_s", &CellResult::pruning_s, "share of training_s spent on pruning, s"},
    {"kept_fraction", &CellResult::kept_fraction, "share of the prunable weights that is kept"},
    {"pretrain_s", &CellResult::pretrain_s,
     "time of pre-training, before the training clock starts, once for all methods, s"},
}};

inline constexpr std::array<Field<std::optional<double>>, 12> kSamples{{
    {"final_accuracy", &CellResult::final_accuracy,
     "accuracy of the last evaluation; null: a user's own program reported none"},
    {"best_accuracy", &CellResult::best_accuracy,
     "highest accuracy of all evaluations; null: a user's own program reported none"},
    {"compacted_from", &CellResult::compacted_from,
     "first iteration in which every bucket was compacted to its mask; null: none"},
    {"dense_share", &CellResult::dense_share,
     "share of bucket exchanges that were dense because the bucket had no stable mask"},
    {"overlap", &CellResult::overlap,
     "share of an iteration's wire_s that is not exposed, median over iterations"},
    {"vnmse", &CellResult::vnmse,
     "squared error of the aggregated gradient divided by the squared mean, median over samples"},
    {"cosine", &CellResult::cosine,
     "cosine of aggregated gradient and exact mean, median over samples"},
    {"residual_norm", &CellResult::residual_norm,
     "norm of the residual of error feedback in the last sample"},
    {"link_probe", &CellResult::link_probe,
     "goodput of the worst flow of the probes before and after, divided by what it should reach"},
    {"cpu_idle", &CellResult::cpu_idle, "idle share of the host's CPU time, median over seconds"},
    {"cpu_softirq", &CellResult::cpu_softirq,
     "share of the host's CPU time spent on packets, median over seconds"},
    {"cpu_pressure", &CellResult::cpu_pressure,
     "share of the time in which tasks waited for a CPU, median over seconds"},
}};

/// Results of an earlier pacbench lack these keys, and can be read all the same.
inline constexpr std::array<Field<std::optional<double>>, 19> kLater{{
    {"density", &CellResult::density,
     "share of the aggregated gradient's entries that are not zero, median over samples"},
    {"final_loss", &CellResult::final_loss, "mean cross-entropy of the last evaluation, in nats"},
    {"best_loss", &CellResult::best_loss, "lowest loss of all evaluations"},
    {"collectives_per_iteration", &CellResult::collectives_per_iteration,
     "collectives of all buckets, mean over workers"},
    {"explained_bytes_per_iteration", &CellResult::explained_bytes_per_iteration,
     "wire bytes that collectives and counted frames account for, mean over workers"},
    {"trunk_bytes_per_iteration", &CellResult::trunk_bytes_per_iteration,
     "wire bytes over a link between switches, both directions, mean over these links"},
    {"busiest_link_bytes_per_iteration", &CellResult::busiest_link_bytes_per_iteration,
     "wire bytes over the direction of a link that carried most"},
    {"wire_mbit", &CellResult::wire_mbit,
     "wire bytes of a step of rank 0 divided by its time with a collective under way, median, "
     "Mbit/s"},
    {"time_per_iteration_low_s", &CellResult::time_per_iteration_low_s,
     "lower end of the 95 % interval of time_per_iteration_s, from the scatter of steps, s"},
    {"time_per_iteration_high_s", &CellResult::time_per_iteration_high_s,
     "upper end of the 95 % interval of time_per_iteration_s, from the scatter of steps, s"},
    {"period", &CellResult::period,
     "iterations after which long steps, such as exchanges, return; 1: no step is long; 0: they "
     "return at no fixed distance"},
    {"period_step_s", &CellResult::period_step_s,
     "time of an iteration over whole periods; of a period of 0, over all steps, s; null: the "
     "period "
     "is 1, so that it is time_per_iteration_s"},
    {"late_s", &CellResult::late_s,
     "mode compose and time dilation: median time that a rank waited for a CPU that it was to "
     "have, with no collective under way, s"},
    {"taken_share", &CellResult::taken_share,
     "share of the CPUs' time that a hypervisor, other programs or a quota took from the run"},
    {"stolen_share", &CellResult::stolen_share,
     "share of the CPUs' time that a hypervisor counted as stolen"},
    {"disturbed_iterations", &CellResult::disturbed_iterations,
     "iterations that a disturbance of the machine touched"},
    {"attempts", &CellResult::attempts,
     "how often the cell was run; the try that was disturbed least counts"},
    {"training_unrepaired_s", &CellResult::training_unrepaired_s,
     "training clock with what disturbances added, s; null: nothing was taken off"},
    {"time_per_iteration_unrepaired_s", &CellResult::time_per_iteration_unrepaired_s,
     "median step with those that were disturbed, s; null: nothing was taken off"},
}};

inline constexpr std::array<Field<std::int64_t>, 5> kCounts{{
    {"seed", &CellResult::seed, "seed of weights, data order and methods"},
    {"iterations", &CellResult::iterations, "iterations that rank 0 finished"},
    {"retransmits", &CellResult::retransmits, "TCP segments sent again, all workers"},
    {"dropped_packets", &CellResult::dropped_packets,
     "packets that the shaped links' queues dropped, all workers"},
    {"peak_resident_bytes", &CellResult::peak_resident_bytes,
     "peak memory of the worker that used most"},
}};

inline const std::vector<std::string> kLinkWords{"ok", "suspect"};
inline const std::vector<std::string> kHostWords{"ok", "cpu-bound"};
inline const std::vector<std::string> kMachineWords{"ok", "disturbed", "unknown"};

}  // namespace pacbench::result_fields
