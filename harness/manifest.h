#pragma once

#include <string>

#include "base/json_reader.h"
#include "spec/catalogue.h"
#include "spec/netd_protocol.h"
#include "spec/scenario.h"

namespace pacbench {

/// manifest.json of a run: the scenario as run, what ran it, where and when.
Json new_manifest(const Scenario& scenario, const Catalogue& catalogue);

/// Adds how the links of a profile were made: the way to privilege, the commands, and what the
/// kernel says of each link.
void add_links(Json& manifest, const std::string& profile, const netd::CreatedReply& created);

/// Throws ConfigError, naming where they differ first, unless `scenario` is the manifest's.
void require_same_scenario(const std::string& source, const Json& manifest,
                           const Scenario& scenario);

}  // namespace pacbench
