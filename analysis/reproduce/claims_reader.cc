#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analysis/reproduce/claims.h"
#include "analysis/reproduce/words.h"
#include "harness/machine/shipped.h"

namespace pacbench::reproduce {
namespace {

using Populations = std::map<std::string, Population>;

std::vector<std::string> read_texts(ObjectReader& reader, const std::string& key) {
  std::vector<std::string> texts;
  const auto& list = reader.raw(key);
  if (list.is_null()) return texts;
  const auto is_text = [](const Json& each) { return each.is_string(); };
  if (list.is_array() && std::all_of(list.begin(), list.end(), is_text)) return list;
  reader.complain(key, "found " + describe_found(list) + ", expected a list of texts");
  return texts;
}

Arm read_arm(ObjectReader reader) {
  Arm arm{reader.text("kind"), reader.text("words"), reader.raw("method"),
          reader.text_or("here_as", "")};
  if (!arm.method.is_object()) {
    reader.complain("method", R"(expected the options of a method, as in {"name": "topk"})");
  }
  reader.finish();
  return arm;
}

Population read_population(ObjectReader reader) {
  Population population;
  population.words = reader.text("words");
  if (reader.has("workloads")) {
    for (auto& workload : reader.objects("workloads")) {
      population.workloads.push_back({workload.text("network"), workload.text("dataset")});
      workload.finish();
    }
  }
  if (reader.has("rates_mbit")) {
    population.rates_mbit = reader.numbers("rates_mbit", Range::positive());
  }
  population.topology = reader.text_or("topology", "");
  population.groups = reader.raw("groups");
  population.workers = static_cast<int>(reader.integer_or("workers", 0, Range::at_least(0)));
  population.batch_per_worker =
      static_cast<int>(reader.integer_or("batch_per_worker", 0, Range::at_least(0)));
  population.iterations = reader.integer_or("iterations", 0, Range::at_least(0));
  if (reader.has("target")) population.target = reader.number("target", Range::ratio());
  population.pruning_ratio = reader.number_or("pruning_ratio", 0, {0.0, 1.0, false});
  population.lower_ratios_too = reader.boolean_or("lower_ratios_too", false);
  population.starts = read_texts(reader, "starts");
  population.least_seeds =
      static_cast<std::size_t>(reader.integer_or("least_seeds", 1, Range::at_least(1)));
  population.tuned_for_each_workload = reader.boolean_or("tuned_for_each_workload", false);
  reader.finish();
  return population;
}

Populations read_populations(ObjectReader reader, const Json& node) {
  Populations populations;
  for (const auto& entry : node.items()) {
    populations.emplace(entry.key(), read_population(reader.object(entry.key())));
  }
  reader.finish();
  return populations;
}

Population named(ObjectReader& reader, const std::string& key, const Populations& populations) {
  const auto name = reader.text(key);
  const auto found = populations.find(name);
  if (found != populations.end()) return found->second;
  reader.complain(
      key, fmt::format("found \"{}\", expected the name of one of the file's populations", name));
  return {};
}

void check_kinds(ObjectReader& reader, const std::string& key,
                 const std::vector<std::string>& kinds, const Claims& claims) {
  for (const auto& kind : kinds) {
    const bool known = std::any_of(claims.arms.begin(), claims.arms.end(),
                                   [&](const Arm& arm) { return arm.kind == kind; });
    if (!known)
      reader.complain(
          key, fmt::format("found \"{}\", expected the kind of one of the file's arms", kind));
  }
}

Claim read_claim(ObjectReader& reader, const Populations& populations,
                 const std::vector<std::string>& beside, const Claims& claims) {
  Claim claim;
  claim.id = reader.text("id");
  claim.words = reader.text("words");
  claim.where = reader.text("where");
  claim.first = reader.boolean_or("first", false);
  claim.quantity = read_word<Quantity>(reader, "quantity");
  claim.form = read_word<Form>(reader, "form");
  claim.value = reader.number("value", Range::positive());
  claim.population = named(reader, "population", populations);
  if (reader.has("here")) claim.here = named(reader, "here", populations);
  claim.arms = read_texts(reader, "arms");
  claim.beside = reader.has("beside") ? read_texts(reader, "beside") : beside;
  claim.baselines = read_texts(reader, "baselines");
  claim.reading = reader.text_or("reading", "");
  claim.settled_by = reader.text("settled_by");
  check_kinds(reader, "arms", claim.arms, claims);
  check_kinds(reader, "beside", claim.beside, claims);
  check_kinds(reader, "baselines", claim.baselines, claims);
  if (claim.arms.empty()) reader.complain("arms", "found none, expected at least one");
  reader.finish();
  return claim;
}

}  // namespace

Claims read_claims(const std::string& path) {
  const auto document = read_json_file(path);
  std::vector<Issue> issues;
  ObjectReader reader{document, "", issues};
  reader.choice("format", {Claims::kFormat});
  Claims claims;
  claims.paper = reader.text("paper");
  claims.source = reader.text("source");
  claims.note = reader.text_or("note", "");
  for (auto& arm : reader.objects("arms")) claims.arms.push_back(read_arm(arm));
  for (const auto& arm : claims.arms) {
    if (!arm.here_as.empty()) check_kinds(reader, "arms", {arm.here_as}, claims);
  }
  const auto populations =
      read_populations(reader.object("populations"), document.value("populations", Json::object()));
  const auto beside = read_texts(reader, "beside");
  check_kinds(reader, "beside", beside, claims);
  std::set<std::string> ids;
  for (auto& claim : reader.objects("claims")) {
    claims.claims.push_back(read_claim(claim, populations, beside, claims));
    if (!ids.insert(claims.claims.back().id).second) {
      claim.complain("id", "found an id that another claim has too, expected each id once");
    }
  }
  for (auto& claim : reader.objects("untestable")) {
    claims.untestable.push_back({claim.text("words"), claim.text("where"), claim.text("why")});
    claim.finish();
  }
  reader.finish();
  if (!issues.empty()) throw ConfigError{path, issues};
  return claims;
}

std::string shipped_claims(const std::string& name) {
  for (const auto& folder : shipped_folders("claims")) {
    auto path = fmt::format("{}/{}.json", folder, name);
    if (std::filesystem::exists(path)) return path;
  }
  throw ConfigError{"claims/" + name + ".json",
                    {{"",
                      "the file is missing: install pacbench again, or give another file with "
                      "--claims"}}};
}

}  // namespace pacbench::reproduce
