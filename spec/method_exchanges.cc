#include "spec/method_exchanges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "spec/inner_methods.h"
#include "spec/schema_parts.h"

namespace pacbench {
namespace {

const std::vector<std::string> kOps{"all_reduce", "all_gather", "all_to_all", "broadcast",
                                    "barrier"};
const std::vector<std::string> kTypes{"",     "float32", "float16", "bfloat16",
                                      "int8", "uint8",   "int32",   "int64"};

Json to_json(const MethodExchanges::Bucket& bucket) {
  Json steps = Json::array();
  for (const auto& step : bucket.steps) {
    steps.push_back({{"work_ms", step.work_ms},
                     {"op", step.op},
                     {"dtype", step.dtype},
                     {"elements", step.elements},
                     {"payload_bytes", step.payload_bytes}});
  }
  return {{"elements", bucket.elements}, {"steps", steps}, {"end_ms", bucket.end_ms}};
}

MethodExchanges::Bucket read_bucket(ObjectReader reader) {
  MethodExchanges::Bucket bucket;
  bucket.elements = reader.integer("elements", Range::at_least(0));
  for (auto& step : reader.objects("steps")) {
    bucket.steps.push_back({step.number("work_ms", Range::at_least(0)), step.choice("op", kOps),
                            step.choice("dtype", kTypes),
                            step.integer("elements", Range::at_least(0)),
                            step.integer("payload_bytes", Range::at_least(0))});
    step.finish();
  }
  bucket.end_ms = reader.number("end_ms", Range::at_least(0));
  reader.finish();
  return bucket;
}

std::optional<LinkFacts> read_link(ObjectReader& entry) {
  if (!entry.has("link")) {
    entry.raw("link");
    return std::nullopt;
  }
  auto reader = entry.object("link");
  LinkFacts link{reader.text("topology"), reader.number("rate_mbit", Range::at_least(0)), {}};
  for (const auto ranks : reader.integers("groups", Range::at_least(1))) {
    link.groups.push_back(static_cast<int>(ranks));
  }
  reader.finish();
  return link;
}

void check_buckets(ObjectReader& entry, const std::vector<MethodExchanges::Bucket>& found,
                   const std::vector<std::int64_t>& expected) {
  std::vector<std::int64_t> elements;
  for (const auto& bucket : found) elements.push_back(bucket.elements);
  const std::vector<std::int64_t> whole{
      std::accumulate(expected.begin(), expected.end(), std::int64_t{0})};
  if (elements == expected || elements == whole) return;
  entry.complain("buckets", fmt::format("found buckets of {} elements, expected the profile's, {}, "
                                        "or one of all: exchanges of another model",
                                        fmt::join(elements, ", "), fmt::join(expected, ", ")));
}

Json exchanged_bucket_schema() {
  using namespace schema;
  const Json at_least_0{{"type", "number"}, {"minimum", 0}};
  const auto step = whole_object(
      {{"work_ms", described(at_least_0,
                             "since the step before had ended, or the bucket was "
                             "handed over")},
       {"op", one_of(kOps)},
       {"dtype", one_of(kTypes)},
       {"elements", described(integer_from(0), "handed in by a rank")},
       {"payload_bytes", described(integer_from(0), "all_to_all: for the other ranks")}});
  return whole_object({{"elements", described(integer_from(0), "of float32; 0: beside buckets")},
                       {"steps", array_of(step)},
                       {"end_ms", described(at_least_0, "work after the last step")}});
}

/// Whether an option of the method, or of one inside of it, is "auto".
bool has_auto(const Json& method) {
  return std::any_of(method.begin(), method.end(), [](const Json& value) {
    return value == "auto" || (value.is_structured() && has_auto(value));
  });
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
  return has_auto(method) || (info != nullptr && traits_of(*info, method, all).depends_on_link);
}

const MethodExchanges* find_exchanges(const std::vector<MethodExchanges>& all, const Json& method,
                                      int workers, const LinkFacts& link) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const MethodExchanges& one) {
    return one.method == method && one.workers == workers && (!one.link || *one.link == link);
  });
  return found == all.end() ? nullptr : &*found;
}

Json to_json(const MethodExchanges& exchanges) {
  Json buckets = Json::array();
  for (const auto& bucket : exchanges.buckets) buckets.push_back(to_json(bucket));
  Json node{{"method", exchanges.method},
            {"workers", exchanges.workers},
            {"copy_gb_per_s", exchanges.copy_gb_per_s},
            {"iterations", exchanges.iterations},
            {"buckets", buckets},
            {"beside", to_json(exchanges.beside)}};
  if (const auto& link = exchanges.link) {
    node["link"] = {
        {"topology", link->topology}, {"rate_mbit", link->rate_mbit}, {"groups", link->groups}};
  }
  return node;
}

std::vector<MethodExchanges> read_exchanges(ObjectReader& profile,
                                            const std::vector<std::int64_t>& bucket_elements) {
  std::vector<MethodExchanges> all;
  for (auto& reader : profile.objects("exchanges")) {
    MethodExchanges one;
    one.method = reader.raw("method");
    if (!one.method.is_object()) reader.complain("method", "expected a method with its options");
    one.workers = static_cast<int>(reader.integer("workers", {2.0, 128.0, false}));
    one.link = read_link(reader);
    one.copy_gb_per_s = reader.number("copy_gb_per_s", Range::positive());
    one.iterations = reader.integer("iterations", Range::at_least(1));
    for (auto& bucket : reader.objects("buckets")) one.buckets.push_back(read_bucket(bucket));
    one.beside = read_bucket(reader.object("beside"));
    check_buckets(reader, one.buckets, bucket_elements);
    reader.finish();
    all.push_back(std::move(one));
  }
  return all;
}

Json exchanges_schema() {
  using namespace schema;
  const auto link = whole_object({{"topology", text()},
                                  {"rate_mbit", {{"type", "number"}, {"minimum", 0}}},
                                  {"groups", array_of(integer_from(1))}});
  return described(
      array_of(closed_object(
          {{"method", described({{"type", "object"}, {"required", {"name"}}}, "with all options")},
           {"workers", integer(2, 128)},
           {"link", described(link, "where it decides between encodings")},
           {"copy_gb_per_s", described(positive_number(), "read and written by a copy in memory")},
           {"iterations", described(integer_from(1), "that each time is a median of, at least")},
           {"buckets", array_of(exchanged_bucket_schema())},
           {"beside",
            described(exchanged_bucket_schema(), "once an iteration, after all buckets")}},
          {"method", "workers", "copy_gb_per_s", "iterations", "buckets", "beside"})),
      "collectives of each method, and its work in between when it is alone on the machine");
}

}  // namespace pacbench
