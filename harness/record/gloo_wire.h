#pragma once

#include <cstdint>
#include <optional>

#include "base/frames.h"
#include "contract/scenario/scenario.h"
#include "contract/worker/worker_event.h"

namespace pacbench::record {

/// The numbers of messages that a rank sends and receives over Gloo's TCP connections for a
/// collective.
struct GlooMessages {
  std::int64_t sent = 0;
  std::int64_t received = 0;

  bool operator==(const GlooMessages&) const = default;
};

/// Counts the messages of `rank` for `call`. The group has as many ranks as the call says, else
/// `workers`:
/// - a ring all-reduce cuts the payload into two segments or more for each rank, of a MiB at most,
///   and leaves out those that are empty
/// - a ring all-gather passes on each rank's share in two halves
/// - an all-to-all has one message for each other rank, also where there is nothing to send
/// - a send-receive sends one where there is something to send. The recorded lines of
///   iterations do not say what is received, so one message is assumed
/// - a broadcast has one for each child in the binomial tree. The lines do not name its root,
///   so the root is counted as receiving one too
/// - a barrier has one in each round of its dissemination
/// A group of one rank has no messages, nor has an all-reduce, all-gather or broadcast of no
/// elements. Throws std::invalid_argument for a collective that has elements and is none of the
/// above, and for elements of less than a byte.
GlooMessages gloo_messages(const CollectiveTrace& call, int rank, int workers);

/// Bytes that a rank sends over its TCP connections for the collectives of an iteration: their
/// payload, and Gloo's headers of 48 bytes. For each message the sender sends two headers, an
/// announcement and one before the payload; the receiver sends one to say that it is ready.
std::int64_t gloo_stream_bytes(const IterationEvent& event, int workers);

/// The number of workers of a cell whose collectives explain every byte on its links: with Gloo,
/// where links carry no load. Nothing for other cells.
std::optional<int> explained_workers(const Scenario& scenario, const LinkProfile& link);

/// Bytes that a rank sends in an iteration, as the links of a cell counted them and as its
/// collectives explain them; means over ranks and iterations.
struct WireBytes {
  double counted = 0;
  double explained = 0;  ///< streams, and headers of as many frames as were counted
  double resent = 0;     ///< at most, in segments that TCP sent again
  double frame = 0;      ///< a full one
  std::int64_t iterations = 1;

  /// Returns the larger of 1 % of `explained` and one frame, plus `explained` divided by the
  /// iterations. The first step also counts what was in a queue before it, and bytes still in a
  /// queue after the last one are not counted.
  double tolerance() const;

  bool agree() const {
    return counted >= explained - tolerance() && counted <= explained + resent + tolerance();
  }
};

}  // namespace pacbench::record
