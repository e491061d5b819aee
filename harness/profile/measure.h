#pragma once

#include <string>
#include <vector>

#include "contract/profile/profile.h"
#include "contract/scenario/scenario.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"

namespace pacbench::profile {

/// The workload to be profiled, and where the profile goes.
struct ProfileRequest {
  Workload workload;          ///< its max_iterations are timed
  std::string python_folder;  ///< of a user's task
  std::string device = "cpu";
  int workers = 1;       ///< compute at the same time and share the cores, as a cell's workers do
  std::string hardware;  ///< in words; empty: what this machine says
  std::string path;      ///< of the profile; its sample lies beside it, with another ending
};

/// The path of the sample of a profile at `path`.
std::string sample_path(const std::string& path);

/// A scenario document whose workload is this model with these data and this batch. Everything else
/// in it is always the same.
Json workload_document(const std::string& model, const std::string& dataset, std::int64_t batch);

/// Has workers profile the workload, writes the first one's sample of gradients and returns the
/// times of all. Throws what run_alone throws.
Profile measure_profile(const ProfileRequest& request, const Programs& programs,
                        const Interrupt& interrupt);

/// The profile with assumed times: forward and backward together take flop_per_sample x batch /
/// (peak_tflops x utilisation), forward a third of it, backward two. Buckets become ready, and the
/// optimiser takes its time, in the proportions of `measured`. With memory_gb_per_s the exchanges
/// are assumed too (profile/exchanges.h), unless `measured` is itself an assumption, whose
/// exchanges and memory_gb_per_s are kept. For a CPU the result also has the compute factor: how
/// many times as long computing takes as on the profiling machine with all of its cores. There is
/// none when `measured` is an assumption without one.
Profile assumed_profile(const Profile& measured, const Profile::Assumption& assumption);

/// The table that `pacbench profile` prints: times and buckets.
std::string profile_table(const Profile& profile);

}  // namespace pacbench::profile
