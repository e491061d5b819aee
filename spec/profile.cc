#include "spec/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

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

std::vector<std::string> read_names(ObjectReader& reader) {
  const auto& names = reader.raw("parameters");
  const bool strings =
      names.is_array() && !names.empty() &&
      std::all_of(names.begin(), names.end(), [](const Json& name) { return name.is_string(); });
  if (strings) return names.get<std::vector<std::string>>();
  reader.complain("parameters",
                  fmt::format("found {}, expected the names of parameters", describe_found(names)));
  return {};
}

std::vector<Profile::Bucket> read_buckets(ObjectReader& profile) {
  std::vector<Profile::Bucket> buckets;
  std::set<std::string> seen;
  for (auto& reader : profile.objects("buckets")) {
    Profile::Bucket bucket{read_names(reader), reader.integer("elements", Range::at_least(1))};
    for (const auto& name : bucket.parameters) {
      if (seen.insert(name).second) continue;
      reader.complain("parameters", fmt::format("\"{}\" stands in two places", name));
    }
    const auto bytes = reader.integer("bytes", Range::at_least(1));
    if (reader.has("bytes") && bytes != 4 * bucket.elements) {
      reader.complain("bytes", fmt::format("found {}, expected {}: four times the elements", bytes,
                                           4 * bucket.elements));
    }
    reader.finish();
    buckets.push_back(std::move(bucket));
  }
  if (buckets.empty()) profile.complain("buckets", "expected at least one bucket");
  return buckets;
}

std::vector<Profile::Iteration> read_iterations(ObjectReader& profile, std::size_t buckets) {
  std::vector<Profile::Iteration> iterations;
  for (auto& reader : profile.objects("iterations")) {
    Profile::Iteration iteration;
    iteration.forward_ms = reader.number("forward_ms", Range::at_least(0));
    iteration.ready_ms = reader.numbers("ready_ms", Range::at_least(0));
    iteration.optimizer_ms = reader.number("optimizer_ms", Range::at_least(0));
    iteration.worker = static_cast<int>(reader.integer_or("worker", 0, Range::at_least(0)));
    if (iteration.ready_ms.size() != buckets) {
      reader.complain("ready_ms", fmt::format("found {} times, expected one for each of {} buckets",
                                              iteration.ready_ms.size(), buckets));
    } else if (!std::is_sorted(iteration.ready_ms.begin(), iteration.ready_ms.end())) {
      reader.complain("ready_ms", "expected ascending times: buckets are in ready order");
    }
    reader.finish();
    iterations.push_back(std::move(iteration));
  }
  std::set<int> workers;
  for (const auto& iteration : iterations) workers.insert(iteration.worker);
  if (iterations.empty() || *workers.rbegin() != std::ssize(workers) - 1) {
    profile.complain("iterations", "expected at least one iteration of each worker");
  }
  return iterations;
}

Profile::Sample read_sample(ObjectReader reader, const std::vector<Profile::Bucket>& buckets) {
  Profile::Sample sample{reader.text("file"), reader.text("sha256"),
                         reader.integers("counts", Range::at_least(1))};
  std::size_t parameters = 0;
  for (const auto& bucket : buckets) parameters += bucket.parameters.size();
  if (sample.counts.size() != parameters) {
    reader.complain("counts", fmt::format("found {} numbers, expected one for each of {} "
                                          "parameters",
                                          sample.counts.size(), parameters));
  }
  reader.finish();
  return sample;
}

Profile::Assumption read_assumption(ObjectReader reader) {
  Profile::Assumption assumption{reader.number("peak_tflops", Range::positive()),
                                 reader.number("utilisation", Range::ratio())};
  if (reader.has("memory_gb_per_s")) {
    assumption.memory_gb_per_s = reader.number("memory_gb_per_s", Range::positive());
  }
  reader.raw("memory_gb_per_s");
  if (reader.has("compute_factor")) {
    assumption.compute_factor = reader.number("compute_factor", Range::positive());
  }
  reader.raw("compute_factor");
  reader.finish();
  return assumption;
}

void read_exchanges_of(ObjectReader& reader, Profile& profile) {
  if (reader.has("exchanges")) {
    std::vector<std::int64_t> elements;
    for (const auto& bucket : profile.buckets) elements.push_back(bucket.elements);
    profile.exchanges = read_exchanges(reader, elements);
  }
  reader.raw("exchanges");
  if (!profile.assumption) return;
  if (profile.assumption->memory_gb_per_s.has_value() == profile.exchanges.empty()) {
    reader.complain("assumption", "expected memory_gb_per_s with exchanges, and with them alone");
  }
}

/// The canonical choice of a model or data set; judged where it is compared with a scenario's.
Json read_named(ObjectReader& reader, const char* key) {
  const auto& node = reader.raw(key);
  if (!node.is_object() || !node.contains("name") || !node.at("name").is_string()) {
    reader.complain(key,
                    fmt::format("found {}, expected an object with a name", describe_found(node)));
  }
  return node;
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

Json to_json(const Profile::Iteration& iteration) {
  return {{"forward_ms", iteration.forward_ms},
          {"ready_ms", iteration.ready_ms},
          {"optimizer_ms", iteration.optimizer_ms},
          {"worker", iteration.worker}};
}

Json to_json(const Profile::Bucket& bucket) {
  return {{"parameters", bucket.parameters},
          {"elements", bucket.elements},
          {"bytes", 4 * bucket.elements}};
}

Json to_json(const Profile& profile) {
  Json buckets = Json::array();
  for (const auto& bucket : profile.buckets) buckets.push_back(to_json(bucket));
  Json iterations = Json::array();
  for (const auto& iteration : profile.iterations) iterations.push_back(to_json(iteration));
  Json node{{"format", Profile::kFormat},
            {"source", profile.measured() ? "measured" : "assumed"},
            {"device", profile.device},
            {"hardware", profile.hardware},
            {"model", profile.model},
            {"dataset", profile.dataset},
            {"batch_per_worker", profile.batch_per_worker},
            {"flop_per_sample", profile.flop_per_sample},
            {"workers", profile.workers},
            {"buckets", buckets},
            {"iterations", iterations},
            {"sample",
             {{"file", profile.sample.file},
              {"sha256", profile.sample.sha256},
              {"counts", profile.sample.counts}}}};
  if (const auto& assumption = profile.assumption) {
    node["assumption"] = {{"peak_tflops", assumption->peak_tflops},
                          {"utilisation", assumption->utilisation}};
    if (const auto& rate = assumption->memory_gb_per_s) {
      node["assumption"]["memory_gb_per_s"] = *rate;
    }
    if (const auto& factor = assumption->compute_factor) {
      node["assumption"]["compute_factor"] = *factor;
    }
  }
  for (const auto& exchanges : profile.exchanges) node["exchanges"].push_back(to_json(exchanges));
  return node;
}

bool is_profile(const Json& document) {
  return document.is_object() && document.value("format", Json{}) == Profile::kFormat;
}

Profile profile_from_json(const std::string& source, const Json& document) {
  std::vector<Issue> issues;
  ObjectReader reader{document, "", issues};
  const auto format = reader.text("format");
  if (format != Profile::kFormat) {
    throw ConfigError{source,
                      {{"/format", fmt::format("found \"{}\", expected \"{}\": a file that "
                                               "pacbench profile wrote",
                                               format, Profile::kFormat)}}};
  }
  Profile profile;
  const auto origin = reader.choice("source", {"measured", "assumed"});
  profile.device = reader.choice("device", {"cpu", "cuda"});
  profile.hardware = reader.text("hardware");
  profile.model = read_named(reader, "model");
  profile.dataset = read_named(reader, "dataset");
  profile.batch_per_worker = reader.integer("batch_per_worker", Range::at_least(1));
  profile.flop_per_sample = reader.number("flop_per_sample", Range::positive());
  profile.workers = static_cast<int>(reader.integer("workers", {1.0, 128.0, false}));
  profile.buckets = read_buckets(reader);
  profile.iterations = read_iterations(reader, profile.buckets.size());
  profile.sample = read_sample(reader.object("sample"), profile.buckets);
  if (reader.has("assumption")) profile.assumption = read_assumption(reader.object("assumption"));
  reader.raw("assumption");
  if (profile.assumption.has_value() != (origin == "assumed")) {
    reader.complain("source", fmt::format("found \"{}\" {} an assumption, expected \"assumed\" "
                                          "with and \"measured\" without one",
                                          origin, profile.assumption ? "with" : "without"));
  }
  read_exchanges_of(reader, profile);
  reader.finish();
  if (!issues.empty()) throw ConfigError{source, issues};
  return profile;
}

}  // namespace pacbench
