#include "analysis/reproduce/method_facts.h"

#include "analysis/reproduce/contrast.h"
#include "base/schema_parts.h"

namespace pacbench::reproduce {
namespace {

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace

std::optional<bool> MethodFacts::all_reduce_compatible() const {
  if (!ring_traffic) return std::nullopt;
  return *ring_traffic <= kMostOfARing;
}

MethodFacts facts_of(const MeasuredLink& link, const report::ReportRow& row,
                     const Catalogue& catalogue) {
  MethodFacts facts;
  if (const auto traffic = ring_traffic({Claim{}, link, row, row})) {
    facts.ring_traffic = traffic->value;
  }
  if (const auto* method = catalogue.find_method(row.method)) {
    facts.traits = traits_of(*method, link.method(row.label), catalogue.methods);
  }
  return facts;
}

void add_facts(Json& node, const MethodFacts& facts) {
  const auto& traits = facts.traits;
  node["ring_traffic"] = or_null(facts.ring_traffic);
  node["all_reduce_compatible"] = or_null(facts.all_reduce_compatible());
  node["traits"] =
      traits ? Json{{"lossless", traits->lossless}, {"stateless", traits->stateless}} : Json();
}

void add_facts_schema(Json& properties) {
  const Json boolean{{"type", "boolean"}};
  const auto traits = schema::whole_object({{"lossless", boolean}, {"stateless", boolean}});
  properties["ring_traffic"] = schema::described(
      schema::number_or_null(),
      "counted bytes divided by those that a ring all-reduce of the method's own payload sends");
  properties["all_reduce_compatible"] = schema::or_null(boolean);
  properties["traits"] = schema::described(schema::or_null(traits),
                                           "null for a method that this pacbench does not know");
}

}  // namespace pacbench::reproduce
