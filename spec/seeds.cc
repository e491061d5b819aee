#include "spec/seeds.h"

#include <set>

namespace pacbench {

std::vector<std::int64_t> read_seeds(ObjectReader& reader) {
  const auto seeds = reader.integers("seeds", {0.0, 4294967295.0, false});
  if (reader.is_empty_list("seeds")) {
    reader.complain("seeds", "expected at least one seed");
  }
  if (std::set<std::int64_t>(seeds.begin(), seeds.end()).size() < seeds.size()) {
    reader.complain("seeds", "the same seed stands there twice");
  }
  return seeds;
}

}  // namespace pacbench
