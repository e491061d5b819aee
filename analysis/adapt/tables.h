#pragma once

#include <string>
#include <vector>

#include "analysis/adapt/gain.h"
#include "harness/text/table.h"

namespace pacbench::adapt {

/// A link whose rate moves, and what changing arms would gain over it.
struct MovingLink {
  std::string name;
  Gain gain;
};

/// All that `pacbench adapt` says.
struct Answer {
  static constexpr const char* kFormat = "pacbench.adapt/1";

  Arms arms;
  std::vector<AtRate> rates;
  Steady steady;
  std::vector<MovingLink> links;
};

/// A row for each rate: the fastest arm and the next one.
Table rates_table(const Answer& answer);

/// A row for each moving link: the best single arm, the oracle, and the oracle's arms. It also says
/// how many times as fast the oracle is, with the range over the seeds.
Table gains_table(const Answer& answer);

/// The text printed below the tables: how many arms there are, which rows are no arms, and the
/// steadiest arm.
std::string words(const Answer& answer, std::size_t columns);

Json to_json(const Answer& answer);

}  // namespace pacbench::adapt
