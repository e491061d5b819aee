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

/// Measures which collectives each method of the scenario calls for the buckets of `profile` among
/// the scenario's workers. A method that looks at links is measured for each link. Also measures
/// how long one worker, alone on the machine, works between collectives. Methods run one after
/// another, each for the larger of `iterations` and 12 iterations. `sample` is the path of the
/// profile's sample of gradients. Throws what run_alone throws.
std::vector<MethodExchanges> measure_exchanges(const Scenario& scenario, const Profile& profile,
                                               const std::string& sample, std::int64_t iterations,
                                               const Programs& programs,
                                               const Interrupt& interrupt);

/// The profile with assumed times: forward and backward together take flop_per_sample x batch /
/// (peak_tflops x utilisation), forward a third of it, backward two. Buckets become ready, and the
/// optimiser takes its time, in the proportions of `measured`. With memory_gb_per_s the exchanges
/// are assumed too, unless `measured` is itself an assumption, whose
/// exchanges and memory_gb_per_s are kept. For a CPU the result also has the compute factor: how
/// many times as long computing takes as on the profiling machine with all of its cores. There is
/// none when `measured` is an assumption without one.
Profile assumed_profile(const Profile& measured, const Profile::Assumption& assumption);

/// The table that `pacbench profile` prints: times and buckets.
std::string profile_table(const Profile& profile);

/// Payload, encoding and decoding of each method in an iteration, as a table; empty where the
/// profile has no exchanges.
std::string exchanges_table(const Profile& profile, const Catalogue& catalogue);

}  // namespace pacbench::profile
