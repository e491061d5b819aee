#include "tests/unit/analysis/reproduce/reproduced.h"

#include <map>
#include <stdexcept>

#include "tests/unit/contract/example_catalogue.h"

namespace pacbench::reproduce {

const Claims& pactrain() {
  static const auto claims = read_claims(shipped_claims("pactrain"));
  return claims;
}

Reproduction reproduced(const std::vector<store::NamedResult>& runs) {
  return reproduce(pactrain(), runs, testing::example_catalogue());
}

Reproduction reproduced(const std::string& paper, const RunResult& run) {
  static std::map<std::string, Claims> all;  // answers point into it
  if (!all.contains(paper)) all.emplace(paper, read_claims(shipped_claims(paper)));
  return reproduce(all.at(paper), named({run}), testing::example_catalogue());
}

const ClaimAnswer& claim(const Reproduction& reproduction, const std::string& id) {
  for (const auto& each : reproduction.claims) {
    if (each.claim->id == id) return each;
  }
  throw std::out_of_range{id};
}

const ArmAnswer& arm(const Judgement& judgement, const std::string& label) {
  for (const auto& each : judgement.arms) {
    if (each.label == label) return each;
  }
  throw std::out_of_range{label};
}

}  // namespace pacbench::reproduce
