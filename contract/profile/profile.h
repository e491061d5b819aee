#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/catalogue/method_exchanges.h"

namespace pacbench {

/// The assumption behind times that were not measured: forward and backward take flop_per_sample
/// × batch_per_worker / (peak_tflops × utilisation).
struct ProfileAssumption {
  double peak_tflops = 0;
  double utilisation = 0;
  /// On the assumed hardware, the work of exchanges takes copy_gb_per_s / memory_gb_per_s times as
  /// long as it took on the profiling machine. Absent exactly when the profile has no exchanges.
  std::optional<double> memory_gb_per_s = std::nullopt;
  /// The time that computing takes on the assumed hardware, divided by its time on the profiling
  /// machine with all cores. Absent in profiles of a GPU, and in those of an earlier pacbench.
  std::optional<double> compute_factor = std::nullopt;
};

/// The time that one worker computes for an iteration of a workload, and a sample of its gradients.
/// Modes compose and simulate use a profile in place of computing. `pacbench profile` writes the
/// file.
struct Profile {
  static constexpr const char* kFormat = "pacbench.profile/1";

  using Assumption = ProfileAssumption;

  /// One of DistributedDataParallel's buckets, in the order in which they become ready.
  struct Bucket {
    std::vector<std::string> parameters;  ///< names, in their order in the bucket
    std::int64_t elements = 0;            ///< of float32
  };

  struct Iteration {
    double forward_ms = 0;         ///< includes getting the batch
    std::vector<double> ready_ms;  ///< of each bucket, since backward began; ascending
    double optimizer_ms = 0;
    int worker = 0;  ///< the worker's number among those that computed at the same time
  };

  /// Values of real gradients, in a file of float32 beside the profile. The file has the parameters
  /// in the order of the buckets, each with as many values as `counts` says. These are all values
  /// of a small parameter, or runs of neighbouring values of a larger one.
  struct Sample {
    std::string file;    ///< relative to the profile
    std::string sha256;  ///< of the file
    std::vector<std::int64_t> counts;
  };

  std::string device;    ///< cpu or cuda
  std::string hardware;  ///< in words
  std::optional<Assumption> assumption;
  Json model;  ///< canonical choices, as in a scenario's workload
  Json dataset;
  std::int64_t batch_per_worker = 0;
  double flop_per_sample = 0;  ///< of forward, counted, and of backward, taken as twice as many
  int workers = 1;             ///< that computed on the device at the same time
  std::vector<Bucket> buckets;
  std::vector<Iteration> iterations;  ///< of all workers
  Sample sample;
  std::vector<MethodExchanges> exchanges;  ///< of the methods that were asked for

  bool measured() const { return !assumption; }
  std::int64_t parameters() const;  ///< elements of all buckets
  /// The iterations from which modes compose and simulate draw those of `rank`: the iterations of
  /// worker `rank` modulo the number of workers that were timed.
  std::vector<Iteration> iterations_of(int rank) const;
  // These return medians over the iterations. Backward ends when the last bucket is ready.
  double forward_ms() const;
  double backward_ms() const;
  double optimizer_ms() const;
  std::vector<double> ready_ms() const;
};

Json to_json(const Profile& profile);
Json to_json(const Profile::Bucket& bucket);
Json to_json(const Profile::Iteration& iteration);

/// Whether a document's "format" says that it is a profile.
bool is_profile(const Json& document);

/// Throws ConfigError naming `source` and every problem with its JSON pointer.
Profile profile_from_json(const std::string& source, const Json& document);

/// The JSON Schema (draft-07) of a profile.
Json profile_schema();

}  // namespace pacbench
