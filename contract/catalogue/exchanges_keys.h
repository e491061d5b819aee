#pragma once

#include <array>

#include "base/checked_keys.h"
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
  static constexpr std::array kOps{"all_reduce", "all_gather", "all_to_all", "broadcast",
                                   "barrier"};
  static constexpr std::array kTypes{"",     "float32", "float16", "bfloat16",
                                     "int8", "uint8",   "int32",   "int64"};
  static constexpr std::tuple kAll{
      required("work_ms", &T::work_ms, Range::at_least(0),
               "since the step before had ended, or the bucket was handed over"),
      required("op", &T::op, kOps), required("dtype", &T::dtype, kTypes),
      required("elements", &T::elements, Range::at_least(0), "handed in by a rank"),
      required("payload_bytes", &T::payload_bytes, Range::at_least(0),
               "all_to_all: for the other ranks")};
};

template <>
struct JsonFields<MethodExchanges::Bucket> {
  using T = MethodExchanges::Bucket;
  static constexpr std::tuple kAll{
      required("elements", &T::elements, Range::at_least(0), "of float32; 0: beside buckets"),
      required("steps", &T::steps),
      required("end_ms", &T::end_ms, Range::at_least(0), "work after the last step")};
};

template <>
struct JsonFields<MethodExchanges> {
  using T = MethodExchanges;
  static constexpr std::tuple kAll{
      required("method", &T::method, {}, "with all options"),
      required("workers", &T::workers, Range{2.0, 128.0}),
      sparse("link", &T::link, {}, "where it decides between encodings"),
      required("copy_gb_per_s", &T::copy_gb_per_s, Range::positive(),
               "read and written by a copy in memory"),
      required("iterations", &T::iterations, Range::at_least(1),
               "that each time is a median of, at least"),
      required("buckets", &T::buckets),
      required("beside", &T::beside, {}, "once an iteration, after all buckets")};
};

}  // namespace pacbench
