#include "contract/scenario/seeds.h"

#include <set>

#include "base/json/schema_parts.h"

namespace pacbench {
namespace {

constexpr std::int64_t kMostSeed = 4294967295;

}  // namespace

std::vector<std::int64_t> read_seeds(ObjectReader& reader) {
  auto seeds = reader.integers("seeds", {0.0, static_cast<double>(kMostSeed)});
  if (reader.is_empty_list("seeds")) {
    reader.complain("seeds", "expected at least one seed");
  }
  if (std::set<std::int64_t>(seeds.begin(), seeds.end()).size() < seeds.size()) {
    reader.complain("seeds", "found a seed twice, expected each seed once");
  }
  return seeds;
}

Json seeds_schema() { return schema::list_of(schema::integer(0, kMostSeed)); }

}  // namespace pacbench
