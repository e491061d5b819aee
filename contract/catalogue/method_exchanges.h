#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "contract/catalogue/catalogue.h"
#include "contract/fabric/link_facts.h"

namespace pacbench {

/// The collectives that one rank's method calls for each bucket in a typical iteration, and how
/// long it works in between when it has the machine to itself. Part of a profile (`pacbench profile
/// --exchanges`), replayed by mode compose with "exchange": "profile".
struct MethodExchanges {
  /// A collective of the whole group, and the work before it: since the collective before it had
  /// ended, or since the bucket was handed over.
  struct Step {
    double work_ms = 0;
    std::string op;     ///< "all_reduce"; all-to-alls have shares of one size, broadcasts root 0
    std::string dtype;  ///< "float32"; empty for a barrier
    std::int64_t elements = 0;       ///< handed in by a rank
    std::int64_t payload_bytes = 0;  ///< of them; all-to-all: for the other ranks
  };

  struct Bucket {
    std::int64_t elements = 0;  ///< of float32; 0 for what is called beside buckets
    std::vector<Step> steps;
    double end_ms = 0;  ///< work after the last step
  };

  Json method;  ///< canonical choice
  int workers = 0;
  std::optional<LinkFacts> link;  ///< where it decides between encodings
  double copy_gb_per_s = 0;       ///< read and written, by a copy in memory beside these times
  std::int64_t iterations = 0;    ///< that each time is a median of, at least
  std::vector<Bucket> buckets;    ///< the profile's; one when the method takes the whole model
  Bucket beside;                  ///< once an iteration, after all buckets

  std::int64_t payload_bytes() const;  ///< of an iteration
  double encode_ms() const;            ///< work before collectives, of an iteration
  double decode_ms() const;            ///< work after the last collective of each bucket
};

/// Whether a method with these canonical options looks at links (MethodTraits).
bool looks_at_links(const Json& method, const std::vector<MethodInfo>& all);

/// The entry of this method among so many workers, over such links where it looks at them; null
/// when there is none.
const MethodExchanges* find_exchanges(const std::vector<MethodExchanges>& all, const Json& method,
                                      int workers, const LinkFacts& link);

/// Complains of exchanges of other buckets than a profile's, which have so many elements.
void check_exchanges(ObjectReader& profile, const std::vector<MethodExchanges>& exchanges,
                     const std::vector<std::int64_t>& bucket_elements);

}  // namespace pacbench
