#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/catalogue/catalogue.h"
#include "contract/network/link_facts.h"

namespace pacbench {

/// The collectives that a method calls in a typical iteration, and how long a rank works between
/// them when it has the machine to itself. This record is part of a profile (`pacbench profile
/// --exchanges`). Modes compose and simulate replay the record with "exchange": "profile".
struct MethodExchanges {
  /// A collective and the work before it. The work begins when the collective before has ended, or
  /// when the bucket is handed over.
  struct Step {
    double work_ms = 0;
    std::string op;                  ///< "all_reduce"
    std::string dtype;               ///< "float32"; empty: a barrier, or a rank not in `ranks`
    std::int64_t elements = 0;       ///< handed in by a rank
    std::int64_t payload_bytes = 0;  ///< of `elements`; all-to-all, send-receive: only for others
    std::vector<int> ranks = {};     ///< that take part, ascending; empty: all
    int root = 0;                    ///< of a broadcast: the sender's place among `ranks`
    /// Elements sent to each of `ranks`, and received from each. Empty: all shares of an all-to-all
    /// are equal.
    std::vector<std::int64_t> send_counts = {};
    std::vector<std::int64_t> receive_counts = {};

    bool operator==(const Step&) const = default;
  };

  struct Bucket {
    std::int64_t elements = 0;  ///< of float32; 0 for calls outside of buckets
    std::vector<Step> steps;
    double end_ms = 0;  ///< work after the last step
  };

  /// One rank's calls in one iteration.
  struct Iteration {
    std::vector<Bucket> buckets;  ///< none where the method needs no gradients
    Bucket beside;                ///< calls after all buckets
    Bucket step;                  ///< calls before the optimiser's step
    Bucket weights;               ///< calls after the optimiser's step
    std::int64_t losses = 0;      ///< forward passes before the first collective of `step`
  };

  /// One rank's iterations, until its calls repeat.
  struct Rank {
    std::vector<Iteration> iterations;
  };

  Json method;  ///< canonical choice
  int workers = 0;
  std::optional<LinkFacts> link;  ///< where the method looks at links (MethodTraits)
  double copy_gb_per_s = 0;       ///< read and written by a copy in memory, timed in the same run
  std::int64_t iterations = 0;    ///< each time is a median of at least this many
  /// Used when all ranks make the same calls in every iteration and these calls only average
  /// gradients: none are made around the optimiser's step. `buckets` are the profile's, or a single
  /// one for a method that takes the whole model. `beside` holds the calls after all buckets.
  std::vector<Bucket> buckets;
  Bucket beside;
  /// Used where `buckets` and `beside` are not: the calls of each rank, with the same number of
  /// iterations for every rank.
  std::vector<Rank> ranks = {};

  /// The calls of `rank` in iteration `number`, counted from 1.
  Iteration iteration_of(int rank, std::int64_t number) const;
  std::int64_t period() const;  ///< iterations until the calls repeat

  // Each of these is a sum over one iteration of one rank, as a mean over all iterations and ranks.
  std::int64_t payload_bytes() const;
  double encode_ms() const;  ///< work before collectives
  double decode_ms() const;  ///< work after the last collective of each bucket
};

/// Whether a method with these canonical options looks at links (MethodTraits).
bool looks_at_links(const Json& method, const std::vector<MethodInfo>& all);

/// The entry of `all` for `method` and `workers`, and for `link` where the method looks at links;
/// null when there is none.
const MethodExchanges* find_exchanges(const std::vector<MethodExchanges>& all, const Json& method,
                                      int workers, const LinkFacts& link);

/// Complains of exchanges whose buckets are neither those of the profile (`bucket_elements`) nor a
/// single bucket of all elements. In `ranks`, an iteration may also have no buckets.
void check_exchanges(ObjectReader& profile, const std::vector<MethodExchanges>& exchanges,
                     const std::vector<std::int64_t>& bucket_elements);

}  // namespace pacbench
