#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/scenario/fabric_request.h"

namespace pacbench::plan {

/// One method over one link profile with one seed.
struct Cell {
  MethodEntry method;
  LinkProfile link;
  std::int64_t seed = 0;

  /// `<label>-<link>-<seed>`, its folder below cells/.
  std::string folder_name() const;
};

/// The part of a scenario that `--only` selects; an empty set selects all.
struct Filter {
  std::set<std::string> labels;
  std::set<std::string> links;
  std::set<std::int64_t> seeds;
};

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

}  // namespace pacbench::plan
