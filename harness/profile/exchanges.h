#pragma once

#include <vector>

#include "contract/profile/profile.h"
#include "contract/scenario/scenario.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"

namespace pacbench::profile {

/// Measures which collectives each method of the scenario calls for the buckets of `profile` among
/// the scenario's workers. A method that looks at links is measured for each link. Also measures
/// how long one worker, alone on the machine, works between collectives. Methods run one after
/// another, each for the larger of `iterations` and 12 iterations. `sample` is the path of the
/// profile's sample of gradients. Throws what run_alone throws.
std::vector<MethodExchanges> measure_exchanges(const Scenario& scenario, const Profile& profile,
                                               const std::string& sample, std::int64_t iterations,
                                               const Programs& programs,
                                               const Interrupt& interrupt);

/// The exchanges with their work as on a machine whose copies in memory move `gb_per_s`, bytes read
/// and written together: each measured time of work x MethodExchanges::copy_gb_per_s / gb_per_s.
std::vector<MethodExchanges> assumed_exchanges(std::vector<MethodExchanges> measured,
                                               double gb_per_s);

/// Payload, encoding and decoding of each method in an iteration, as a table; empty where the
/// profile has no exchanges.
std::string exchanges_table(const Profile& profile, const Catalogue& catalogue);

}  // namespace pacbench::profile
