#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/checked_keys.h"
#include "contract/worker/spec_version.h"

namespace pacbench {

/// The task of a worker of role measure: one rank of a group that times all-reduces over its link,
/// without a model. The worker reads it from standard input. Its descriptors 3 and 4 (worker_fd)
/// are empty memfds, one for each of its two FileStores.
struct MeasureSpec {
  static constexpr int kVersion = 1;
  static constexpr const char* kRole = "measure";

  struct AllReduce {
    std::int64_t bytes = 0;  ///< of float32
    int rounds = 1;
  };

  int rank = 0;
  int workers = 1;
  std::string interface = "eth0";
  double timeout_s = 60;  ///< of every collective
  /// The worker times these in this order. Its communication threads are in a real-time class where
  /// that is permitted.
  std::vector<AllReduce> all_reduces;
  /// The number of 4 KB all-reduces timed last, with all threads in the ordinary class; 0: none.
  int ordinary_rounds = 0;
};

inline constexpr std::int64_t kFloorBytes = 4096;

/// "all_reduce": from every rank, once for each MeasureSpec::AllReduce, and once more for the
/// all-reduces in the ordinary class, if there are any.
struct AllReduceEvent {
  int rank = 0;
  std::int64_t bytes = 0;
  bool real_time = false;
  std::vector<double> times_s;  ///< of each round, on this rank
};

template <>
struct JsonFields<MeasureSpec::AllReduce> {
  using T = MeasureSpec::AllReduce;
  static constexpr std::tuple kAll{required("bytes", &T::bytes), required("rounds", &T::rounds)};
};

template <>
struct JsonFields<MeasureSpec> {
  using T = MeasureSpec;
  static constexpr std::tuple kAll{required("rank", &T::rank),
                                   required("workers", &T::workers),
                                   required("interface", &T::interface),
                                   required("timeout_s", &T::timeout_s),
                                   required("all_reduces", &T::all_reduces),
                                   required("ordinary_rounds", &T::ordinary_rounds)};
};

template <>
struct JsonFields<AllReduceEvent> {
  using T = AllReduceEvent;
  static constexpr std::tuple kAll{required("rank", &T::rank), required("bytes", &T::bytes),
                                   required("real_time", &T::real_time),
                                   required("times_s", &T::times_s)};
};

inline Json to_json(const MeasureSpec& spec) {
  Json node = spec;
  node["version"] = MeasureSpec::kVersion;
  node["role"] = MeasureSpec::kRole;
  return node;
}

inline Json to_json(const AllReduceEvent& event) {
  Json node = event;
  node["event"] = "all_reduce";
  return node;
}

/// Throws ConfigError when the document is not a specification of this version.
inline MeasureSpec measure_spec_from_json(const Json& document) {
  return spec_of_version<MeasureSpec>(document,
                                      [](const Json& node) { return node.get<MeasureSpec>(); });
}

/// Throws nlohmann::json::exception when the document is no "all_reduce" event.
inline AllReduceEvent all_reduce_event_from_json(const Json& node) {
  return node.get<AllReduceEvent>();
}

}  // namespace pacbench
