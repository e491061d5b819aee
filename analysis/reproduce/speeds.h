#pragma once

#include <vector>

namespace pacbench::reproduce {

struct MeasuredLink;

/// Finds links that are the same but for how fast computing is assumed to be. The link with the
/// most others at half and at double its speed (the first among equals) gets their places as its
/// `speeds`. The others become ranges of it.
void pair_speeds(std::vector<MeasuredLink>& links);

}  // namespace pacbench::reproduce
