#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/checked_keys.h"
#include "contract/catalogue/catalogue.h"
#include "contract/network/link_facts.h"

namespace pacbench {

/// The collectives that a method calls in a typical iteration, and how long a rank works between
/// them when it has the machine to itself. This record is part of a profile (`pacbench profile
/// --exchanges`). Modes compose and simulate replay the record with "exchange": "profile". The
/// tables of keys below say what the members mean.
struct MethodExchanges {
  /// A collective and the work before it.
  struct Step {
    double work_ms = 0;
    std::string op;
    std::string dtype;  ///< empty: a barrier, or a rank not in `ranks`
    std::int64_t elements = 0;
    std::int64_t payload_bytes = 0;
    std::vector<int> ranks = {};  ///< ascending; empty: all
    int root = 0;
    std::vector<std::int64_t> send_counts = {};
    std::vector<std::int64_t> receive_counts = {};

    bool operator==(const Step&) const = default;
  };

  struct Bucket {
    std::int64_t elements = 0;
    std::vector<Step> steps;
    double end_ms = 0;
  };

  /// One rank's calls in one iteration.
  struct Iteration {
    std::vector<Bucket> buckets;
    Bucket beside;
    Bucket step;
    Bucket weights;
    std::int64_t losses = 0;
  };

  /// One rank's iterations, until its calls repeat.
  struct Rank {
    std::vector<Iteration> iterations;
  };

  Json method;  ///< canonical choice
  int workers = 0;
  std::optional<LinkFacts> link;  ///< where the method looks at links (MethodTraits)
  double copy_gb_per_s = 0;       ///< timed in the same run
  std::int64_t iterations = 0;
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

template <>
struct JsonFields<LinkFacts> {
  using T = LinkFacts;
  static constexpr std::tuple kAll{required("topology", &T::topology),
                                   required("rate_mbit", &T::rate_mbit, Range::at_least(0)),
                                   required("groups", &T::groups, Range::at_least(1))};
};

template <>
struct JsonFields<MethodExchanges::Step> {
  using T = MethodExchanges::Step;
  static constexpr std::array kOps{"all_reduce",   "all_gather", "all_to_all",
                                   "send_receive", "broadcast",  "barrier"};
  static constexpr std::array kTypes{"",     "float32", "float16", "bfloat16",
                                     "int8", "uint8",   "int32",   "int64"};
  static constexpr std::tuple kAll{
      required("work_ms", &T::work_ms, Range::at_least(0),
               "time of the method's own work since the previous step ended, or since the bucket "
               "was handed over"),
      required("op", &T::op, kOps),
      required("dtype", &T::dtype, kTypes),
      required("elements", &T::elements, Range::at_least(0), "elements that a rank hands in"),
      required("payload_bytes", &T::payload_bytes, Range::at_least(0),
               "bytes of the elements; of all_to_all and send_receive only those for other ranks"),
      sparse("ranks", &T::ranks, Range::at_least(0), "ranks that take part, if not all do"),
      sparse("root", &T::root, Range::at_least(0),
             "place of a broadcast's sender among the ranks that take part"),
      sparse(
          "send_counts", &T::send_counts, Range::at_least(0),
          "of all_to_all and send_receive: elements for each rank that takes part; an all_to_all "
          "without this key has equal shares"),
      sparse(
          "receive_counts", &T::receive_counts, Range::at_least(0),
          "of all_to_all and send_receive: elements from each rank that takes part; an all_to_all "
          "without this key has equal shares")};
};

template <>
struct JsonFields<MethodExchanges::Bucket> {
  using T = MethodExchanges::Bucket;
  static constexpr std::tuple kAll{
      required("elements", &T::elements, Range::at_least(0),
               "elements of float32; 0 for calls that belong to no bucket"),
      required("steps", &T::steps),
      required("end_ms", &T::end_ms, Range::at_least(0), "work after the last step")};
};

template <>
struct JsonFields<MethodExchanges::Iteration> {
  using T = MethodExchanges::Iteration;
  static constexpr std::tuple kAll{
      required("buckets", &T::buckets, {}, "empty where the method needs no gradients"),
      required("beside", &T::beside, {}, "calls after all buckets"),
      required("step", &T::step, {}, "calls before the optimiser's step"),
      required("weights", &T::weights, {}, "calls after the optimiser's step"),
      sparse("losses", &T::losses, Range::at_least(0),
             "forward passes before the first call of \"step\"")};
};

template <>
struct JsonFields<MethodExchanges::Rank> {
  using T = MethodExchanges::Rank;
  static constexpr std::tuple kAll{required("iterations", &T::iterations, Bounds{}.with_entries(1),
                                            "iterations until the calls repeat")};
};

template <>
struct JsonFields<MethodExchanges> {
  using T = MethodExchanges;
  static constexpr std::tuple kAll{
      required("method", &T::method, {}, "name of the method, with all options"),
      required("workers", &T::workers, Range{2.0, 1024.0}),
      sparse("link", &T::link, {}, "facts about the link; only if the method looks at them"),
      required("copy_gb_per_s", &T::copy_gb_per_s, Range::positive(),
               "GB/s that a copy in memory reads and writes"),
      required("iterations", &T::iterations, Range::at_least(1),
               "each time is a median of at least this many iterations"),
      required("buckets", &T::buckets, {}, "empty if there is \"ranks\""),
      required("beside", &T::beside, {}, "calls once an iteration, after all buckets"),
      sparse(
          "ranks", &T::ranks, {},
          "calls of each rank; only if ranks or iterations differ, or if weights are exchanged")};

  static void check(ObjectReader& reader, const T& exchanges) {
    if (exchanges.ranks.empty()) return;
    if (std::ssize(exchanges.ranks) != exchanges.workers) {
      reader.complain(
          "ranks",
          fmt::format("found {} entries for {} workers, expected one entry for each worker",
                      exchanges.ranks.size(), exchanges.workers));
    }
    for (const auto& rank : exchanges.ranks) {
      if (std::ssize(rank.iterations) == exchanges.period()) continue;
      reader.complain("ranks", fmt::format("found a rank with {} iterations beside rank 0 with {}, "
                                           "expected equally many iterations for each rank",
                                           rank.iterations.size(), exchanges.period()));
    }
  }
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
