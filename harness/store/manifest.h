#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/catalogue/catalogue.h"
#include "contract/fabric/netd_protocol.h"
#include "contract/scenario/scenario.h"
#include "harness/machine/environment.h"

namespace pacbench::store {

/// A later call of pacbench that continued a run, or recomputed its numbers.
struct Continuation {
  std::string command;  ///< as typed
  std::string git_commit;
  std::string utc;                         ///< when this was noted
  std::optional<Environment> environment;  ///< absent where no cell was trained
};

/// manifest.json of a run: the scenario as run, what ran it, where and when.
struct Manifest {
  static constexpr const char* kFormat = "pacbench.manifest/1";

  std::string command;  ///< as typed
  Json scenario;        ///< canonical form
  std::string scenario_hash;
  std::string comparison_hash;
  std::string pacbench_version;
  std::string git_commit;
  std::string torch_version;
  std::string started_utc;
  Environment environment;
  Json links = Json::object();  ///< by link profile: how links were made, as the daemon says
  Json device;                  ///< what `device: auto` became (plan/plan.h), or null
  Json devices;                 ///< GPUs and NCCL (machine/devices.h), or null
  Json python;  ///< the catalogue's entries of users' classes, or null; reading a run runs no code
  std::vector<Continuation> continued;
};

Json to_json(const Manifest& manifest);

/// Throws ConfigError naming `source` and each key that is missing or of another type.
Manifest manifest_from_json(const std::string& source, const Json& document);

/// Reads manifest.json in the folder of a run. Throws as manifest_from_json, and ConfigError when
/// the folder holds none.
Manifest read_manifest(const std::string& run_folder);

Manifest new_manifest(const Scenario& scenario, const Catalogue& catalogue);

/// Records that this program continued the run, or recomputed its numbers; `trained_on` is given
/// where it trained cells.
void add_continuation(Manifest& manifest,
                      const std::optional<Environment>& trained_on = std::nullopt);

/// Adds how the links of a link profile were made: with which privilege and commands, and what the
/// kernel says of each link.
void add_links(Manifest& manifest, const std::string& profile, const netd::CreatedReply& created);

/// A version, or a property of a machine, on which the bits of a curve depend besides the scenario.
/// With another one, floats are added in another order or by other instructions.
struct Origin {
  std::string pointer;  ///< into the manifest
  std::string words;    ///< "CPU"
  std::string there;    ///< where the run was made
  std::string here;
  bool of_machine = false;
};

/// The run's versions of torch and pacbench, and the CPU and number of cores of the machine of each
/// part that trained cells. Each has its value here beside it, also where the two are equal.
std::vector<Origin> origins(const Manifest& manifest, const Catalogue& catalogue);

/// Throws ConfigError, naming all that differs, unless the run was made with the versions, the
/// machine and the CPU quota used here. In mode learn the machine may differ, since no time is
/// measured; another machine only changes the rounding of a curve.
void require_same_origin(const std::string& source, const Manifest& manifest,
                         const Catalogue& catalogue);

/// Throws ConfigError, naming the first difference, unless `scenario` asks for the same run as the
/// manifest's scenario (asked_part).
void require_same_scenario(const std::string& source, const Manifest& manifest,
                           const Scenario& scenario);

}  // namespace pacbench::store
