#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/scenario.h"

namespace pacbench {

/// What one worker process does: the single JSON document it reads from its standard input.
struct WorkerSpec {
  static constexpr int kVersion = 1;

  std::string role = "train";  ///< train: a rank of a cell; pretrain: alone, writes `checkpoint`
  int rank = 0;
  int workers = 1;
  std::int64_t seed = 1;
  std::string interface = "eth0";  ///< the shaped device that Gloo is bound to
  double timeout_s = 60;
  Workload workload;
  Choice method;                ///< of role train
  std::vector<double> targets;  ///< ascending; used when workload.stop is "targets"
  std::string data_folder;      ///< where imported data sets lie
  /// train: initial weights to load, empty for random ones; pretrain: the file to write.
  std::string checkpoint;
};

Json to_json(const WorkerSpec& spec);

/// Throws ConfigError when the document is not a worker specification of this version.
WorkerSpec worker_spec_from_json(const Json& document);

/// Descriptors that a worker of role train finds open when it starts.
namespace worker_fd {
constexpr int kRendezvous = 3;    ///< an empty memfd for the FileStore: no network byte, no file
constexpr int kControl = 4;       ///< a memfd shared by all ranks: barriers and parameter hashes
constexpr int kPortCounters = 5;  ///< rtnetlink socket in the switch's namespace (counting only)
}  // namespace worker_fd

/// Environment variable with the interface index of the worker's port in the switch's namespace.
inline constexpr const char* kPortIndexVariable = "PACBENCH_PORT_INDEX";

}  // namespace pacbench
