#pragma once

#include <vector>

namespace pacbench::reproduce {

struct MeasuredLink;

/// Finds links that are the same but for how fast computing is assumed to be. The one that has the
/// most others at half and at double its speed (the first of those that are equal) gets them as its
/// `speeds`, and these become ranges of it.
void pair_speeds(std::vector<MeasuredLink>& links);

}  // namespace pacbench::reproduce
