#include "trainer/compose/settled_exchanges.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>

namespace pacbench::trainer {
namespace {

using Traces = std::vector<BucketTrace>;
using Sequence = std::vector<std::tuple<std::string, std::string, std::int64_t, std::int64_t>>;

Sequence sequence_of(const BucketTrace& bucket) {
  Sequence sequence;
  for (const auto& call : bucket.collectives) {
    sequence.emplace_back(call.op, call.dtype, call.elements, call.payload_bytes);
  }
  return sequence;
}

/// Those with the most frequent sequence, in their order.
Traces of_one_kind(const Traces& traces) {
  std::map<Sequence, Traces> kinds;
  const Traces* most = nullptr;
  for (const auto& trace : traces) {
    auto& kind = kinds[sequence_of(trace)];
    kind.push_back(trace);
    if (most == nullptr || kind.size() >= most->size()) most = &kind;
  }
  return *most;
}

double median_ms(const Traces& traces, const std::function<std::int64_t(const BucketTrace&)>& ns) {
  std::vector<std::int64_t> values;
  for (const auto& trace : traces) values.push_back(ns(trace));
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle) * 1e-6;
}

/// When the work before collective `step` began.
std::int64_t begun_ns(const BucketTrace& trace, std::size_t step) {
  return step == 0 ? trace.exchange.start_ns : trace.collectives[step - 1].wire.end_ns;
}

MethodExchanges::Bucket settled(const Traces& alike) {
  const auto& example = alike.back();
  MethodExchanges::Bucket bucket{example.elements, {}, 0};
  for (std::size_t i = 0; i < example.collectives.size(); ++i) {
    const auto& call = example.collectives[i];
    const auto work_ms = median_ms(alike, [i](const BucketTrace& trace) {
      return trace.collectives[i].ready_ns - begun_ns(trace, i);
    });
    bucket.steps.push_back({work_ms, call.op, call.dtype, call.elements, call.payload_bytes});
  }
  bucket.end_ms = median_ms(alike, [](const BucketTrace& trace) {
    return trace.exchange.end_ns - begun_ns(trace, trace.collectives.size());
  });
  return bucket;
}

}  // namespace

MethodExchanges settled_exchanges(const std::vector<std::vector<BucketTrace>>& iterations) {
  if (iterations.empty()) throw std::invalid_argument{"found no iterations to take medians of"};
  MethodExchanges exchanges;
  exchanges.iterations = std::numeric_limits<std::int64_t>::max();
  for (std::size_t place = 0; place < iterations.front().size(); ++place) {
    Traces traces;
    for (auto i = iterations.size() / 2; i < iterations.size(); ++i) {
      traces.push_back(iterations[i].at(place));
    }
    const auto alike = of_one_kind(traces);
    exchanges.iterations = std::min(exchanges.iterations, std::ssize(alike));
    exchanges.buckets.push_back(settled(alike));
  }
  exchanges.beside = exchanges.buckets.back();
  exchanges.buckets.pop_back();
  return exchanges;
}

}  // namespace pacbench::trainer
