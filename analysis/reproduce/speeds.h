#pragma once

#include <vector>

namespace pacbench::reproduce {

struct MeasuredLink;

/// Finds links that differ only in how fast computing is assumed to be. The link with the most
/// others at half and at double its speed (the first among equals) gets their indices as its
/// `speeds`. The others are marked `is_speed`: they only show how far its numbers depend on the
/// speed.
void pair_speeds(std::vector<MeasuredLink>& links);

}  // namespace pacbench::reproduce
