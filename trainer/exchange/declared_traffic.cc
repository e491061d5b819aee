#include "trainer/exchange/declared_traffic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace pacbench::trainer {
namespace {

struct Call {
  std::string op;
  std::int64_t payload_bytes = 0;
  std::int64_t sent_bytes = 0;

  bool operator==(const Call&) const = default;
};

/// The call that a trace should show. A rank outside of the sub-group takes its turn and sends
/// nothing.
Call call_of(const PlannedCollective& plan, Backend& backend) {
  const auto& ranks = plan.ranks;
  if (ranks.empty()) {
    return {name_of(plan.kind), plan.payload_bytes, backend.bytes_sent_for(plan)};
  }
  if (!std::binary_search(ranks.begin(), ranks.end(), backend.rank())) return {name_of(plan.kind)};
  return {name_of(plan.kind), plan.payload_bytes, backend.sub_group(ranks)->bytes_sent_for(plan)};
}

std::string words(const std::vector<Call>& calls) {
  std::vector<std::string> all;
  for (const auto& call : calls) {
    all.push_back(
        fmt::format("{} of {} bytes, {} sent", call.op, call.payload_bytes, call.sent_bytes));
  }
  return calls.empty() ? "nothing" : fmt::format("[{}]", fmt::join(all, "; "));
}

std::string place_of(const BucketTrace& trace) {
  return trace.index < 0 ? std::string{"after the last bucket"}
                         : fmt::format("bucket {} of {} elements", trace.index, trace.elements);
}

}  // namespace

std::int64_t require_as_declared(const std::vector<PlannedCollective>& declared,
                                 const BucketTrace& trace, std::size_t first, Backend& backend) {
  std::vector<Call> expected;
  std::int64_t sent_bytes = 0;
  for (const auto& plan : declared) {
    expected.push_back(call_of(plan, backend));
    sent_bytes += expected.back().sent_bytes;
  }
  std::vector<Call> found;
  for (std::size_t i = first; i < trace.collectives.size(); ++i) {
    const auto& call = trace.collectives[i];
    found.push_back({call.op, call.payload_bytes, call.sent_bytes});
  }
  if (found == expected) return sent_bytes;
  throw std::logic_error{fmt::format(
      "rank {}, {}: the method declares {}, but calls {}. It must declare all its calls "
      "in their order: those of average() in traffic(); those after the last bucket in "
      "finish_traffic(), step_traffic() and weights_traffic() (docs/ADDING_A_METHOD.md)",
      backend.rank(), place_of(trace), words(expected), words(found))};
}

}  // namespace pacbench::trainer
