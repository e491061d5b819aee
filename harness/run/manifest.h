#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "harness/environment.h"
#include "spec/catalogue.h"
#include "spec/netd_protocol.h"
#include "spec/scenario.h"

namespace pacbench::run {

/// manifest.json of a run: the scenario as run, what ran it, where and when.
Json new_manifest(const Scenario& scenario, const Catalogue& catalogue);

/// Adds to "continued" that this program went on with the run, or counted it anew: what was typed,
/// the commit and when; and on which machine, where cells were trained there.
void add_continuation(Json& manifest, const std::optional<Environment>& trained_on = std::nullopt);

/// Adds how the links of a profile were made: the way to privilege, the commands, and what the
/// kernel says of each link.
void add_links(Json& manifest, const std::string& profile, const netd::CreatedReply& created);

/// Something on which the bits of a curve depend beside its scenario: floats are added in another
/// order, or by other instructions, where it is another.
struct Origin {
  std::string pointer;  ///< into the manifest
  std::string words;    ///< "CPU"
  std::string there;    ///< where the run was made
  std::string here;
  bool of_machine = false;
};

/// torch, pacbench, CPU and cores, and CPU and cores of the machines that went on. Throws
/// ConfigError naming `source` and the place when the manifest lacks one.
std::vector<Origin> origins(const std::string& source, const Json& manifest,
                            const Catalogue& catalogue);

/// Throws ConfigError, naming all that differs, unless the run was made by what is here. In mode
/// learn the machine may be another: it changes the rounding of a curve, and no time is measured.
void require_same_origin(const std::string& source, const Json& manifest,
                         const Catalogue& catalogue);

/// Throws ConfigError, naming where they differ first, unless `scenario` is the manifest's.
void require_same_scenario(const std::string& source, const Json& manifest,
                           const Scenario& scenario);

}  // namespace pacbench::run
