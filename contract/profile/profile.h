#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/checked_keys.h"
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
    std::vector<std::string> parameters;
    std::int64_t elements = 0;
  };

  struct Iteration {
    double forward_ms = 0;
    std::vector<double> ready_ms;
    double optimizer_ms = 0;
    int worker = 0;
  };

  /// Values of real gradients, in a file of float32 beside the profile. The file has the parameters
  /// in the order of the buckets, each with as many values as `counts` says. These are all values
  /// of a small parameter, or runs of neighbouring values of a larger one.
  struct Sample {
    std::string file;
    std::string sha256;  ///< of the file
    std::vector<std::int64_t> counts;
  };

  std::string device;    ///< cpu or cuda
  std::string hardware;  ///< in words
  std::optional<Assumption> assumption;
  Json model;  ///< canonical choices, as in a scenario's workload
  Json dataset;
  std::int64_t batch_per_worker = 0;
  double flop_per_sample = 0;
  int workers = 1;
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

template <>
struct JsonFields<Profile::Bucket> {
  using T = Profile::Bucket;
  static constexpr std::tuple kAll{
      required("parameters", &T::parameters, Bounds{}.with_entries(1),
               "names of the parameters, in their order in the bucket"),
      required("elements", &T::elements, Range::at_least(1)),
      DerivedKey<T, std::int64_t>{"bytes", [](const T& bucket) { return 4 * bucket.elements; },
                                  Range::at_least(1),
                                  "four times the elements, which are float32"}};
};

template <>
struct JsonFields<Profile::Iteration> {
  using T = Profile::Iteration;
  static constexpr std::tuple kAll{
      required("forward_ms", &T::forward_ms, Range::at_least(0),
               "time of the forward pass and of getting the batch"),
      required("ready_ms", &T::ready_ms, Bounds{Range::at_least(0)}.with_entries(1),
               "time from the start of backward until each bucket is ready; ascending"),
      required("optimizer_ms", &T::optimizer_ms, Range::at_least(0)),
      defaulted("worker", &T::worker, Range{0.0, 127.0},
                "number of the worker among those that computed at the same time")};

  static void check(ObjectReader& reader, const T& iteration) {
    if (std::is_sorted(iteration.ready_ms.begin(), iteration.ready_ms.end())) return;
    reader.complain("ready_ms",
                    "expected ascending times, since buckets are listed in the order in which they "
                    "become ready");
  }
};

template <>
struct JsonFields<Profile::Sample> {
  using T = Profile::Sample;
  static constexpr std::tuple kAll{
      required("file", &T::file, {}, "float32, little-endian, beside the profile"),
      required("sha256", &T::sha256),
      required("counts", &T::counts, Bounds{Range::at_least(1)}.with_entries(1),
               "number of values of each parameter, in the order of the buckets")};
};

template <>
struct JsonFields<Profile::Assumption> {
  using T = Profile::Assumption;
  static constexpr std::tuple kAll{
      required("peak_tflops", &T::peak_tflops, Range::positive()),
      required("utilisation", &T::utilisation, Range::ratio()),
      sparse("memory_gb_per_s", &T::memory_gb_per_s, Range::positive()),
      sparse("compute_factor", &T::compute_factor, Range::positive())};
};

template <>
struct JsonFields<Profile> {
  using T = Profile;
  static constexpr std::array kFormats{Profile::kFormat};
  static constexpr std::array kSources{"measured", "assumed"};
  static constexpr std::array kDevices{"cpu", "cuda"};
  static constexpr std::tuple kAll{
      DerivedKey<T, std::string>{"format", [](const T&) { return std::string{T::kFormat}; },
                                 kFormats, "a file that pacbench profile wrote"},
      required("device", &T::device, kDevices),
      required("hardware", &T::hardware),
      required("model", &T::model),
      required("dataset", &T::dataset),
      required("batch_per_worker", &T::batch_per_worker, Range::at_least(1)),
      required("flop_per_sample", &T::flop_per_sample, Range::positive(),
               "operations of forward, counted, and of backward, taken as twice as many"),
      required("workers", &T::workers, Range{1.0, 128.0},
               "workers that computed on the device at the same time"),
      required("buckets", &T::buckets, Bounds{}.with_entries(1),
               "in the order in which they become ready"),
      required("iterations", &T::iterations, Bounds{}.with_entries(1)),
      required("sample", &T::sample),
      sparse("assumption", &T::assumption, {},
             "only with source \"assumed\". Forward and backward take flop_per_sample x "
             "batch_per_worker / (peak_tflops x utilisation). The work of exchanges takes its "
             "measured time x copy_gb_per_s / memory_gb_per_s, and pruning its measured time x "
             "compute_factor"),
      DerivedKey<T, std::string>{"source",
                                 [](const T& profile) -> std::string {
                                   return profile.measured() ? "measured" : "assumed";
                                 },
                                 kSources,
                                 "\"assumed\" with an assumption, \"measured\" without one"},
      sparse("exchanges", &T::exchanges, {},
             "collectives of each method, and its work between them when a worker is alone on the "
             "machine")};
};

/// The key of a random draw for a rank's iteration (from 1), in modes compose and simulate. The
/// same key gives the same draw. `place` separates the draws of one iteration.
std::uint64_t draw_key(std::uint64_t seed, int rank, std::int64_t iteration, std::size_t place);

/// Draws one of the profile's iterations for each iteration of a rank. The rank then computes for
/// as long as the drawn iteration says.
class DrawnIterations {
 public:
  DrawnIterations(const Profile& profile, std::int64_t seed, int rank);

  const Profile::Iteration& of(std::int64_t iteration) const;

 private:
  std::uint64_t seed_;
  int rank_;
  std::size_t place_;  ///< the place of these draws, after those of the sample's parameters
  std::vector<Profile::Iteration> iterations_;
};

inline Json to_json(const Profile& profile) { return profile; }

/// Whether a document's "format" says that it is a profile.
bool is_profile(const Json& document);

/// Throws ConfigError naming `source` and every problem with its JSON pointer.
Profile profile_from_json(const std::string& source, const Json& document);

Json profile_schema();

}  // namespace pacbench
