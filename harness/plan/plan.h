#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/scenario/fabric_request.h"
#include "contract/scenario/scenario.h"
#include "contract/worker/gpus.h"

namespace pacbench::plan {

/// A path from one worker to another, by their ranks.
struct Path {
  int from = 0;
  int to = 0;
};

/// One method over one link profile with one seed.
struct Cell {
  MethodEntry method;
  LinkProfile link;
  std::int64_t seed = 0;

  /// `<label>-<link>-<seed>`, its folder below cells/.
  std::string folder_name() const;
};

/// The part of a scenario that `--only` selects: labels, links and seeds under the keys "method",
/// "link" and "seed". A key that is absent or has an empty set selects all.
using Filter = std::map<std::string, std::set<std::string>>;

/// Reads `--only` arguments: `method=LABEL[|LABEL…],link=NAME,seed=N`. Throws ConfigError that
/// lists what the scenario has when something unknown is asked for.
Filter parse_filter(const std::vector<std::string>& arguments, const Scenario& scenario);

/// The cells in the order they run: seeds outermost, then links, then methods, so that a run broken
/// off anywhere has compared all methods about equally. In mode learn the one link is "none".
std::vector<Cell> plan(const Scenario& scenario, const Filter& filter = {});

/// The text of `--dry-run`.
std::string describe_plan(const Scenario& scenario, const std::vector<Cell>& cells);

/// The plan as JSON: {"cells": [folder names], "links": [{"name", "request"}]}. A request is what
/// the daemon is asked to create for cells over the link (contract/fabric/netd_protocol.h). In mode
/// simulate, and where a link's rates are still to be measured, a link has no request. Mode learn
/// has no links.
Json plan_to_json(const Scenario& scenario, const std::vector<Cell>& cells);

/// The network of a scenario as text, one link profile after another. A profile shows its switches
/// with their workers, and every shaped direction with its rate, its queue and the flows that share
/// it. The schedule and the loads follow where there are any, and round trips where a link is
/// impaired. In mode simulate a link profile shows its shape, rates and delay only. A profile whose
/// rates are still to be measured has one line that says so.
std::string describe_network(const Scenario& scenario);

/// A link profile in words, for the heading of its tables: "100 Mbit/s each way, each worker".
/// `network` and `link` are in canonical form.
std::string link_words(const Json& network, const Json& link);

/// Whether the device of a scenario is "auto", which must be decided before anything is planned.
bool leaves_device_open(const Scenario& scenario);

/// Device "auto", decided for one machine.
struct DeviceDecision {
  std::string device;   ///< cpu or cuda
  std::string backend;  ///< of cuda over links: gloo or nccl; else empty
  std::string reason;   ///< "found 1 GPU for 8 workers; …"
  Devices devices;      ///< what the machine has
};

/// Chooses cuda where the GPUs suffice for "device": "cuda", else cpu. They suffice with a GPU for
/// each worker; one is enough where workers may share GPUs, and in mode learn. With cuda over
/// links, chooses NCCL where the worker can load it (Devices::nccl_version), unless the scenario
/// says gloo.
DeviceDecision decide_device(const Scenario& scenario, Devices devices);

/// The scenario with the chosen device and backend in the place of "auto". On the CPU `share_gpus`
/// becomes false.
Scenario on_device(Scenario scenario, const DeviceDecision& decision);

/// One line: "device cpu: there is no NVIDIA driver here (auto)".
std::string describe(const DeviceDecision& decision);

/// The decision for the manifest: what was asked for, what was chosen, and why.
Json to_json(const DeviceDecision& decision);

/// Throws ConfigError naming `source` when the manifest's run is on another device or backend than
/// was decided here. The error has both reasons and what to do. `scenario` is the scenario on the
/// device decided here, `there` the manifest's scenario, `recorded` the manifest's decision or
/// null.
void require_same_decision(const std::string& source, const Json& there, const Json& recorded,
                           const Scenario& scenario, const DeviceDecision& decision);

}  // namespace pacbench::plan
