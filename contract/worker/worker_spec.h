#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/network/link_facts.h"
#include "contract/scenario/compose.h"
#include "contract/scenario/target.h"
#include "contract/scenario/worker_traits.h"
#include "contract/scenario/workload.h"

namespace pacbench {

/// A method, and the facts about a link that the method may look at.
struct MethodOverLinks {
  Choice method;
  LinkFacts link;
  double round_trip_ms = 0;  ///< between two workers; methods do not look at it
};

/// The task of one worker process: the JSON document that it reads from its standard input.
struct WorkerSpec {
  static constexpr int kVersion = 2;

  /// train: a rank of a cell
  /// learn: all ranks of a cell, as threads of this process without a network
  /// pretrain: alone; writes `checkpoint`
  /// compose: a rank of a cell that does what `compose` says in place of computing
  /// profile: one of `workers` that compute at the same time and exchange nothing; times
  ///   max_iterations iterations of the workload and writes a sample of a gradient to `checkpoint`
  /// profile-exchanges: alone, for `workers` ranks; times what each of `exchanges` does with each
  ///   bucket of `compose`'s profile
  /// exchange-costs: alone; reports what each of `exchanges` would send for each layer of the model
  std::string role = "train";
  int rank = 0;
  int workers = 1;
  std::int64_t seed = 1;
  std::string device = "cpu";      ///< cpu, or cuda
  std::string backend = "gloo";    ///< gloo, or nccl (train and compose on cuda)
  bool share_gpus = false;         ///< ranks of other processes may compute on the same GPU
  std::string interface = "eth0";  ///< the device that the backend is bound to
  /// The rendezvous of ranks on several hosts: "ADDRESS:PORT" of rank 0 on the control network.
  /// Empty: all ranks are on one host, and their rendezvous is memory that they share.
  std::string rendezvous;
  LinkFacts link;
  /// Whether threads that exchange may be in a real-time class. They may not beside programs of the
  /// user's own, whose threads are in the ordinary class.
  bool real_time = true;
  WorkerTraits traits;
  int time_dilation = 1;  ///< roles train and compose; see base/clock.h
  double compute_ms = 0;  ///< role train: of forward and backward; 0: as long as this machine needs
  double encode_speed = 1;  ///< roles train and compose: of encoding and decoding, in cores
  double timeout_s = 60;
  Workload workload;
  Choice method;                ///< of roles train, learn and compose
  std::vector<Target> targets;  ///< used when workload.stop is "targets"
  std::string data_folder;      ///< where imported data sets lie
  std::string python_folder;    ///< where the files of users' classes lie; empty without such
  /// train, learn: initial weights to load, empty for random ones; pretrain, profile: the file to
  /// write, in role profile empty for none.
  std::string checkpoint;
  /// The iterations between comparisons of the aggregated gradient with the exact mean, off the
  /// clock; 0: never.
  std::int64_t quality_every = 0;
  /// learn: the iterations between saved states; 0: never. The state of all ranks is written to
  /// `state_folder`/state-<iteration>.pt, and all states but this one and the previous one are
  /// removed.
  std::int64_t state_every = 0;
  std::string state_folder;
  std::optional<Compose> compose;          ///< of roles compose and profile-exchanges
  std::vector<MethodOverLinks> exchanges;  ///< of roles profile-exchanges and exchange-costs
  std::string resume_state;  ///< learn: a saved state to resume from; empty: from the start
};

Json to_json(const WorkerSpec& spec);

/// Throws ConfigError when the document is not a worker specification of this version.
WorkerSpec worker_spec_from_json(const Json& document);

/// Descriptors that are open when a worker of role train or compose starts. The harness passes the
/// first three, and the daemon adds the last. On hosts of a cluster the rendezvous is by TCP. Then
/// only rank 0 has a descriptor, kRendezvous: the socket that listens at the rendezvous.
namespace worker_fd {
constexpr int kRendezvous = 3;    ///< an empty memfd: the FileStore needs no network and no file
constexpr int kControl = 4;       ///< a memfd shared by all ranks: barriers and parameter hashes
constexpr int kGradients = 5;     ///< an empty memfd into which all ranks write their gradients
constexpr int kPortCounters = 6;  ///< rtnetlink socket in the switch's namespace (counting only)
}  // namespace worker_fd

/// Environment variable with the interface index of the worker's port in the switch's namespace.
inline constexpr const char* kPortIndexVariable = "PACBENCH_PORT_INDEX";

}  // namespace pacbench
