#pragma once

namespace pacbench::plan {

/// A path from one worker to another, by their ranks.
struct Path {
  int from = 0;
  int to = 0;
};

}  // namespace pacbench::plan
