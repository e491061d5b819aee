#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "contract/catalogue/catalogue.h"
#include "contract/fabric/link_facts.h"

namespace pacbench {

/// The collectives that a method calls in a typical iteration, and how long a rank works in between
/// when it has the machine to itself. Part of a profile (`pacbench profile --exchanges`), replayed
/// by mode compose with "exchange": "profile".
struct MethodExchanges {
  /// A collective, and the work before it: since the collective before it had ended, or since the
  /// bucket was handed over.
  struct Step {
    double work_ms = 0;
    std::string op;                  ///< "all_reduce"
    std::string dtype;               ///< "float32"; empty for a barrier, and outside of `ranks`
    std::int64_t elements = 0;       ///< handed in by a rank
    std::int64_t payload_bytes = 0;  ///< of them; all-to-all, send-receive: for the other ranks
    std::vector<int> ranks = {};     ///< that take part, ascending; empty: all
    int root = 0;                    ///< of a broadcast: its place among these
    /// Elements for each of these, and from each. Empty: an all-to-all has shares of one size.
    std::vector<std::int64_t> send_counts = {};
    std::vector<std::int64_t> receive_counts = {};

    bool operator==(const Step&) const = default;
  };

  struct Bucket {
    std::int64_t elements = 0;  ///< of float32; 0 for what is called beside buckets
    std::vector<Step> steps;
    double end_ms = 0;  ///< work after the last step
  };

  /// One rank's calls in one iteration.
  struct Iteration {
    std::vector<Bucket> buckets;  ///< none where the method needs no gradients
    Bucket beside;                ///< after all buckets
    Bucket step;                  ///< before the optimiser
    Bucket weights;               ///< behind it
    std::int64_t losses = 0;      ///< forward passes before the first collective of `step`
  };

  /// One rank's iterations, until its calls repeat.
  struct Rank {
    std::vector<Iteration> iterations;
  };

  Json method;  ///< canonical choice
  int workers = 0;
  std::optional<LinkFacts> link;  ///< where it decides between encodings
  double copy_gb_per_s = 0;       ///< read and written, by a copy in memory beside these times
  std::int64_t iterations = 0;    ///< that each time is a median of, at least
  /// Where all ranks call the same for gradients alone, in every iteration: the profile's buckets,
  /// or one when the method takes the whole model; and what comes after them.
  std::vector<Bucket> buckets;
  Bucket beside;
  /// Else the calls of each rank: as many iterations of each.
  std::vector<Rank> ranks = {};

  /// The calls of `rank` in iteration `number`, counted from 1.
  Iteration iteration_of(int rank, std::int64_t number) const;
  std::int64_t period() const;  ///< iterations until the calls repeat

  // These count one iteration of one rank, as a mean over all iterations and ranks:
  std::int64_t payload_bytes() const;
  double encode_ms() const;  ///< work before collectives
  double decode_ms() const;  ///< work after the last collective of each bucket
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
