#pragma once

#include <cstdint>

namespace pacbench::gloo {

/// The header of everything that Gloo writes to a connection, in bytes (gloo/transport/tcp/pair.h,
/// `Op::preamble`). One message takes three headers: one before its payload, one by which its
/// sender announces it, and one by which its receiver says that it is ready.
inline constexpr std::int64_t kHeaderBytes = 48;

/// The largest segment of a ring all-reduce, in bytes (gloo/allreduce.h, `kMaxSegmentSize`).
inline constexpr std::int64_t kLargestSegmentBytes = 1 << 20;

/// The number of collectives that a process group works on at the same time: the default number of
/// threads of c10d's ProcessGroupGloo.
inline constexpr int kThreads = 2;

}  // namespace pacbench::gloo
