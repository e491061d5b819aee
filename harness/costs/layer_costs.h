#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/scenario/scenario.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"
#include "harness/text/table.h"

namespace pacbench::costs {

/// The time and bytes of a layer's exchange with one method over one link.
struct Cost {
  std::int64_t sent_bytes = 0;  ///< by the worker that sends most
  double wire_s = 0;            ///< expected at the link's rate
};

/// The costs of one method for each layer of a model over one link.
struct MethodCosts {
  std::string label;
  std::string reason;  ///< why costs are unknown beforehand; empty where there are `layers`
  std::vector<Cost> layers;
};

/// All that `pacbench costs` says.
struct LayerCosts {
  static constexpr const char* kFormat = "pacbench.costs/1";

  struct Layer {
    std::string name;
    std::int64_t elements = 0;
  };
  struct Link {
    std::string name;
    std::vector<MethodCosts> methods;
  };
  std::string model;
  int workers = 0;
  std::vector<Layer> layers;
  std::vector<Link> links;
};

/// Asks the worker what it costs to exchange each layer of the scenario's model with each method
/// over each link of the scenario. Nothing is sent, measured or trained. Throws what run_alone
/// throws.
LayerCosts layer_costs(const Scenario& scenario, const Programs& programs,
                       const Interrupt& interrupt);

/// For each layer, the index of the method that is expected to take the least time. Layers are
/// exchanged one by one, so a layer's choice changes no other layer's time, and these choices have
/// the least sum. Empty where no method's costs are known.
std::vector<std::size_t> fastest_by_layer(const LayerCosts::Link& link);

/// A table with a row for each layer and one for the sum: which method is expected to take least
/// time, and what each method costs. Methods without costs are left out; if no method has costs,
/// the table has no rows.
Table costs_table(const std::vector<LayerCosts::Layer>& layers, const LayerCosts::Link& link);

Json to_json(const LayerCosts& costs);

}  // namespace pacbench::costs
