#include "contract/profile/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/json/object_schema.h"
#include "base/json/read_keys.h"

namespace pacbench {
namespace {

double median_over(const std::vector<Profile::Iteration>& iterations,
                   const std::function<double(const Profile::Iteration&)>& part) {
  std::vector<double> values;
  for (const auto& iteration : iterations) values.push_back(part(iteration));
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void check_buckets(ObjectReader& profile, const std::vector<Profile::Bucket>& buckets) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    for (const auto& name : buckets[i].parameters) {
      if (seen.insert(name).second) continue;
      profile.complain_at(
          fmt::format("buckets/{}/parameters", i),
          fmt::format("found the parameter \"{}\" in two places, expected it in one", name));
    }
  }
}

void check_iterations(ObjectReader& profile, const std::vector<Profile::Iteration>& iterations,
                      std::size_t buckets) {
  std::set<int> workers;
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const auto times = iterations[i].ready_ms.size();
    workers.insert(iterations[i].worker);
    if (times == buckets) continue;
    profile.complain_at(
        fmt::format("iterations/{}/ready_ms", i),
        fmt::format("found {} times, expected one for each of {} buckets", times, buckets));
  }
  if (iterations.empty() || *workers.rbegin() != std::ssize(workers) - 1) {
    profile.complain("iterations", "expected at least one iteration of each worker");
  }
}

void check_counts(ObjectReader& profile, const Profile& found) {
  std::size_t parameters = 0;
  for (const auto& bucket : found.buckets) parameters += bucket.parameters.size();
  if (found.sample.counts.size() == parameters) return;
  profile.complain_at("sample/counts",
                      fmt::format("found {} numbers, expected one for each of {} parameters",
                                  found.sample.counts.size(), parameters));
}

void check_exchanges_of(ObjectReader& reader, const Profile& profile) {
  std::vector<std::int64_t> elements;
  for (const auto& bucket : profile.buckets) elements.push_back(bucket.elements);
  check_exchanges(reader, profile.exchanges, elements);
  if (!profile.assumption) return;
  if (profile.assumption->memory_gb_per_s.has_value() == profile.exchanges.empty()) {
    reader.complain("assumption", "expected memory_gb_per_s if there are exchanges, and only then");
  }
}

}  // namespace

std::int64_t Profile::parameters() const {
  std::int64_t elements = 0;
  for (const auto& bucket : buckets) elements += bucket.elements;
  return elements;
}

std::vector<Profile::Iteration> Profile::iterations_of(int rank) const {
  int timed = 1;
  for (const auto& one : iterations) timed = std::max(timed, one.worker + 1);
  std::vector<Iteration> found;
  for (const auto& one : iterations) {
    if (one.worker == rank % timed) found.push_back(one);
  }
  return found;
}

double Profile::forward_ms() const {
  return median_over(iterations, [](const auto& one) { return one.forward_ms; });
}

double Profile::backward_ms() const {
  return median_over(iterations, [](const auto& one) { return one.ready_ms.back(); });
}

double Profile::optimizer_ms() const {
  return median_over(iterations, [](const auto& one) { return one.optimizer_ms; });
}

std::vector<double> Profile::ready_ms() const {
  std::vector<double> medians;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    medians.push_back(median_over(iterations, [i](const auto& one) { return one.ready_ms[i]; }));
  }
  return medians;
}

std::uint64_t draw_key(std::uint64_t seed, int rank, std::int64_t iteration, std::size_t place) {
  auto key = seed;
  for (const auto part : {static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(iteration),
                          static_cast<std::uint64_t>(place)}) {
    key = (key ^ part) * 0x9E3779B97F4A7C15U;
    key ^= key >> 29;
  }
  return key;
}

DrawnIterations::DrawnIterations(const Profile& profile, std::int64_t seed, int rank)
    : seed_{static_cast<std::uint64_t>(seed)},
      rank_{rank},
      place_{profile.sample.counts.size()},
      iterations_{profile.iterations_of(rank)} {}

const Profile::Iteration& DrawnIterations::of(std::int64_t iteration) const {
  return iterations_[draw_key(seed_, rank_, iteration, place_) % iterations_.size()];
}

bool is_profile(const Json& document) {
  return document.is_object() && document.value("format", Json{}) == Profile::kFormat;
}

Profile profile_from_json(const std::string& source, const Json& document) {
  std::vector<Issue> issues;
  ObjectReader reader{document, "", issues};
  if (!is_profile(document)) {
    const auto found = document.is_object() ? document.value("format", Json{}) : document;
    throw ConfigError{source,
                      {{"/format", fmt::format("found {}, expected \"{}\": a file that pacbench "
                                               "profile wrote",
                                               describe_found(found), Profile::kFormat)}}};
  }
  Profile profile;
  read_keys(reader, profile);
  check_buckets(reader, profile.buckets);
  check_iterations(reader, profile.iterations, profile.buckets.size());
  check_counts(reader, profile);
  check_exchanges_of(reader, profile);
  reader.finish();
  if (!issues.empty()) throw ConfigError{source, issues};
  return profile;
}

Json profile_schema() {
  auto schema = object_schema<Profile>();
  schema["$schema"] = schema::kDraft;
  schema["title"] = "pacbench profile";
  return schema;
}

}  // namespace pacbench
