#pragma once

#include <fmt/format.h>

#include <array>

#include "base/json/checked_keys.h"
#include "contract/catalogue/method_exchanges.h"

/// The keys of a profile's "exchanges", for reader, writer and schema.
namespace pacbench {

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

}  // namespace pacbench
