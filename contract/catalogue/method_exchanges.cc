#include "contract/catalogue/method_exchanges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pacbench {
namespace {

using Bucket = MethodExchanges::Bucket;

void check_buckets(ObjectReader& profile, const std::string& pointer,
                   const std::vector<Bucket>& found, const std::vector<std::int64_t>& expected) {
  std::vector<std::int64_t> elements;
  for (const auto& bucket : found) elements.push_back(bucket.elements);
  const std::vector<std::int64_t> whole{
      std::accumulate(expected.begin(), expected.end(), std::int64_t{0})};
  if (elements == expected || elements == whole) return;
  profile.complain_at(
      pointer, fmt::format("found buckets of {} elements, expected {} as in the profile, or one "
                           "bucket of all elements: these exchanges are of another model",
                           fmt::join(elements, ", "), fmt::join(expected, ", ")));
}

std::int64_t payload_bytes_of(const Bucket& bucket) {
  std::int64_t bytes = 0;
  for (const auto& step : bucket.steps) bytes += step.payload_bytes;
  return bytes;
}

double encode_ms_of(const Bucket& bucket) {
  double total_ms = 0;
  for (const auto& step : bucket.steps) total_ms += step.work_ms;
  return total_ms;
}

template <typename Of>
double sum_over(const MethodExchanges::Iteration& iteration, Of of) {
  auto sum = static_cast<double>(of(iteration.beside)) + static_cast<double>(of(iteration.step)) +
             static_cast<double>(of(iteration.weights));
  for (const auto& bucket : iteration.buckets) sum += static_cast<double>(of(bucket));
  return sum;
}

template <typename Of>
double mean_over(const MethodExchanges& exchanges, Of of) {
  if (exchanges.ranks.empty()) return sum_over(exchanges.iteration_of(0, 1), of);
  double sum = 0;
  for (const auto& rank : exchanges.ranks) {
    for (const auto& iteration : rank.iterations) sum += sum_over(iteration, of);
  }
  return sum / static_cast<double>(std::ssize(exchanges.ranks) * exchanges.period());
}

}  // namespace

MethodExchanges::Iteration MethodExchanges::iteration_of(int rank, std::int64_t number) const {
  if (ranks.empty()) return {buckets, beside, {}, {}};
  return ranks.at(static_cast<std::size_t>(rank))
      .iterations.at(static_cast<std::size_t>((number - 1) % period()));
}

std::int64_t MethodExchanges::period() const {
  return ranks.empty() ? 1 : std::ssize(ranks.front().iterations);
}

std::int64_t MethodExchanges::payload_bytes() const {
  return std::llround(mean_over(*this, payload_bytes_of));
}

double MethodExchanges::encode_ms() const { return mean_over(*this, encode_ms_of); }

double MethodExchanges::decode_ms() const {
  return mean_over(*this, [](const Bucket& bucket) { return bucket.end_ms; });
}

bool looks_at_links(const Json& method, const std::vector<MethodInfo>& all) {
  const auto* info = find_named(all, method.at("name"));
  return info != nullptr && traits_of(*info, method, all).looks_at_links;
}

const MethodExchanges* find_exchanges(const std::vector<MethodExchanges>& all, const Json& method,
                                      int workers, const LinkFacts& link) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const MethodExchanges& one) {
    return one.method == method && one.workers == workers && (!one.link || *one.link == link);
  });
  return found == all.end() ? nullptr : &*found;
}

void check_exchanges(ObjectReader& profile, const std::vector<MethodExchanges>& exchanges,
                     const std::vector<std::int64_t>& bucket_elements) {
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    const auto& one = exchanges[i];
    if (one.ranks.empty()) {
      check_buckets(profile, fmt::format("exchanges/{}/buckets", i), one.buckets, bucket_elements);
    }
    for (std::size_t r = 0; r < one.ranks.size(); ++r) {
      const auto& iterations = one.ranks[r].iterations;
      for (std::size_t n = 0; n < iterations.size(); ++n) {
        if (iterations[n].buckets.empty()) continue;
        check_buckets(profile, fmt::format("exchanges/{}/ranks/{}/iterations/{}/buckets", i, r, n),
                      iterations[n].buckets, bucket_elements);
      }
    }
  }
}

}  // namespace pacbench
