#include "harness/doctor/features.h"

#include <algorithm>
#include <array>

#include "contract/fabric/features.h"
#include "harness/probes/features.h"

namespace pacbench::doctor {
namespace {

namespace feature = netd::feature;

constexpr std::array kOfEveryLink{feature::kNamespaces, feature::kVeth, feature::kBridge,
                                  feature::kHtb, feature::kBfifo};
constexpr std::array kOfFarLinks{feature::kIfb, feature::kMirred, feature::kNetem};

template <typename Names>
bool is_among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string without(const std::string& name) {
  if (is_among(kOfEveryLink, name))
    return "no links can be made, so only modes learn and simulate work, which measure no times";
  if (is_among(kOfFarLinks, name)) {
    return "scenarios with delay, jitter, loss or reordering are refused";
  }
  if (name == feature::kSteering) {
    return "packets of a flow may overtake each other; TCP then sends segments again needlessly, "
           "and the cell's verdict on the links says so";
  }
  if (name == "cubic") {
    return "the default congestion control is missing: each scenario has to name another one, and "
           "its results cannot be compared with results of cubic";
  }
  return "scenarios with this congestion control are refused";
}

}  // namespace

std::vector<Finding> findings_of(const std::vector<netd::Feature>& features) {
  std::vector<Finding> findings;
  for (const auto& one : features) {
    Finding finding{one.name, one.ok, is_among(kOfEveryLink, one.name), "tried, and works", "", ""};
    if (!one.ok) {
      finding.found = one.reason;
      finding.remedy = netd::cure(one.name);
      finding.without = without(one.name);
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> feature_findings(const std::string& daemon) {
  try {
    return findings_of(probes::ask_features(daemon));
  } catch (const std::exception& error) {
    return {{"kernel features for links", false, true, error.what(),
             netd::cure(feature::kNamespaces), without(feature::kNamespaces)}};
  }
}

}  // namespace pacbench::doctor
