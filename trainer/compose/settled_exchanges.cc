#include "trainer/compose/settled_exchanges.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <tuple>

namespace pacbench::trainer {
namespace {

using Traces = std::vector<BucketTrace>;

/// The latest of the most frequent ones.
template <typename T, typename Equal>
const T& typical(const std::vector<T>& all, Equal are_equal) {
  const T* most = nullptr;
  std::ptrdiff_t frequency = 0;
  for (const auto& one : all) {
    const auto alike = std::count_if(all.begin(), all.end(),
                                     [&](const auto& other) { return are_equal(one, other); });
    if (alike >= frequency) most = &one, frequency = alike;
  }
  return *most;
}

bool have_equal_traces(const BucketTrace& one, const BucketTrace& other) {
  return std::ranges::equal(one.collectives, other.collectives, [](const auto& a, const auto& b) {
    return std::tie(a.op, a.dtype, a.elements, a.payload_bytes) ==
           std::tie(b.op, b.dtype, b.elements, b.payload_bytes);
  });
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

/// An exchange that makes `calls`, with the median times of traces that make as many.
MethodExchanges::Bucket settled(std::vector<MethodExchanges::Step> calls, const Traces& alike) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].work_ms = median_ms(alike, [i](const BucketTrace& trace) {
      return trace.collectives[i].ready_ns - begun_ns(trace, i);
    });
  }
  const auto end_ms = median_ms(alike, [](const BucketTrace& trace) {
    return trace.exchange.end_ns - begun_ns(trace, trace.collectives.size());
  });
  return {alike.back().elements, std::move(calls), end_ms};
}

using RanksIteration = std::vector<RecordedIteration>;

std::vector<const RecordedExchange*> exchanges_of(const RecordedIteration& iteration) {
  std::vector<const RecordedExchange*> all;
  for (const auto& bucket : iteration.buckets) all.push_back(&bucket);
  all.insert(all.end(), {&iteration.beside, &iteration.step, &iteration.weights});
  return all;
}

bool have_equal_calls(const RanksIteration& one, const RanksIteration& other) {
  for (std::size_t rank = 0; rank < one.size(); ++rank) {
    const auto here = exchanges_of(one[rank]);
    const auto there = exchanges_of(other[rank]);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (here[i]->calls != there[i]->calls) return false;
    }
  }
  return true;
}

bool are_of_same_kinds(const RecordedExchange& one, const RecordedExchange& other) {
  return std::ranges::equal(one.calls, other.calls,
                            [](const auto& a, const auto& b) { return a.op == b.op; });
}

/// The calls of `example`, with median times of all exchanges that call the same operations in the
/// same order. Lowers `least` to the number of those exchanges when that is smaller.
MethodExchanges::Bucket settled(const RecordedExchange& example,
                                const std::vector<const RecordedExchange*>& all,
                                std::int64_t& least) {
  Traces alike;
  for (const auto* one : all) {
    if (are_of_same_kinds(example, *one)) alike.push_back(one->trace);
  }
  least = std::min<std::int64_t>(least, std::ssize(alike));
  return settled(example.calls, alike);
}

MethodExchanges::Iteration settled_iteration(const std::vector<const RanksIteration*>& all,
                                             const RanksIteration& example, std::size_t rank,
                                             std::int64_t& least) {
  std::vector<MethodExchanges::Bucket> settled_all;
  const auto exchanges = exchanges_of(example[rank]);
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    std::vector<const RecordedExchange*> same_place;
    for (const auto* one : all) same_place.push_back(exchanges_of((*one)[rank])[i]);
    settled_all.push_back(settled(*exchanges[i], same_place, least));
  }
  const auto last = settled_all.end();
  MethodExchanges::Iteration iteration{{}, last[-3], last[-2], last[-1], example[rank].losses};
  iteration.buckets.assign(settled_all.begin(), last - 3);
  return iteration;
}

}  // namespace

MethodExchanges settled_exchanges_of_ranks(const std::vector<RanksIteration>& iterations,
                                           std::int64_t period) {
  const auto count = std::ssize(iterations);
  const auto first = (count / 2 + period - 1) / period * period;
  if (count - first < period) {
    throw std::invalid_argument{
        "found less than one period of iterations after the skipped first half, expected at least "
        "one"};
  }
  MethodExchanges exchanges;
  exchanges.ranks.resize(iterations.front().size());
  exchanges.iterations = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t place = 0; place < period; ++place) {
    std::vector<const RanksIteration*> all;
    for (auto i = first + place; i < count; i += period) {
      all.push_back(&iterations[static_cast<std::size_t>(i)]);
    }
    const auto& example = *typical(
        all, [](const auto* one, const auto* other) { return have_equal_calls(*one, *other); });
    for (std::size_t rank = 0; rank < exchanges.ranks.size(); ++rank) {
      exchanges.ranks[rank].iterations.push_back(
          settled_iteration(all, example, rank, exchanges.iterations));
    }
  }
  return exchanges;
}

MethodExchanges settled_exchanges(const std::vector<std::vector<BucketTrace>>& iterations) {
  if (iterations.empty())
    throw std::invalid_argument{"found no iterations, expected at least one to take medians over"};
  MethodExchanges exchanges;
  exchanges.iterations = std::numeric_limits<std::int64_t>::max();
  for (std::size_t place = 0; place < iterations.front().size(); ++place) {
    Traces traces;
    for (auto i = iterations.size() / 2; i < iterations.size(); ++i) {
      traces.push_back(iterations[i].at(place));
    }
    // By value, because erase_if moves the traces.
    const auto example = typical(traces, have_equal_traces);
    std::erase_if(traces, [&](const auto& trace) { return !have_equal_traces(trace, example); });
    std::vector<MethodExchanges::Step> calls;
    for (const auto& call : example.collectives) {
      calls.push_back({0, call.op, call.dtype, call.elements, call.payload_bytes});
    }
    exchanges.iterations = std::min(exchanges.iterations, std::ssize(traces));
    exchanges.buckets.push_back(settled(std::move(calls), traces));
  }
  exchanges.beside = exchanges.buckets.back();
  exchanges.buckets.pop_back();
  return exchanges;
}

}  // namespace pacbench::trainer
