#pragma once

#include <algorithm>
#include <array>

#include "base/json/checked_keys.h"
#include "contract/catalogue/exchanges_keys.h"
#include "contract/profile/profile.h"

/// The keys of a profile, for reader, writer and schema.
namespace pacbench {

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

}  // namespace pacbench
