#include "contract/catalogue/method_exchanges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/schema_parts.h"
#include "contract/catalogue/inner_methods.h"

namespace pacbench {
namespace {

void check_buckets(ObjectReader& profile, const std::string& pointer,
                   const std::vector<MethodExchanges::Bucket>& found,
                   const std::vector<std::int64_t>& expected) {
  std::vector<std::int64_t> elements;
  for (const auto& bucket : found) elements.push_back(bucket.elements);
  const std::vector<std::int64_t> whole{
      std::accumulate(expected.begin(), expected.end(), std::int64_t{0})};
  if (elements == expected || elements == whole) return;
  profile.complain_at(pointer,
                      fmt::format("found buckets of {} elements, expected the profile's, {}, "
                                  "or one of all: exchanges of another model",
                                  fmt::join(elements, ", "), fmt::join(expected, ", ")));
}

}  // namespace

std::int64_t MethodExchanges::payload_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& step : beside.steps) bytes += step.payload_bytes;
  for (const auto& bucket : buckets) {
    for (const auto& step : bucket.steps) bytes += step.payload_bytes;
  }
  return bytes;
}

double MethodExchanges::encode_ms() const {
  double total_ms = 0;
  for (const auto& step : beside.steps) total_ms += step.work_ms;
  for (const auto& bucket : buckets) {
    for (const auto& step : bucket.steps) total_ms += step.work_ms;
  }
  return total_ms;
}

double MethodExchanges::decode_ms() const {
  return std::accumulate(buckets.begin(), buckets.end(), beside.end_ms,
                         [](double sum_ms, const auto& bucket) { return sum_ms + bucket.end_ms; });
}

bool looks_at_links(const Json& method, const std::vector<MethodInfo>& all) {
  const auto* info = find_method(all, method.at("name"));
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
    check_buckets(profile, fmt::format("exchanges/{}/buckets", i), exchanges[i].buckets,
                  bucket_elements);
  }
}

}  // namespace pacbench
