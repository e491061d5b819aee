#include "harness/profile/exchanges.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "contract/catalogue/choice_json.h"
#include "harness/machine/environment.h"
#include "harness/run/lone_workers.h"

namespace pacbench::profile {
namespace {

// The second half of the iterations gives the medians, so it must not be too short.
constexpr std::int64_t kLeastIterations = 12;

/// The pairs of a method and a link to profile: one for a method that does not look at links.
std::vector<MethodOverLinks> methods_of(const Scenario& scenario, const Catalogue& catalogue) {
  std::vector<MethodOverLinks> all;
  const auto add = [&](const Choice& choice, const LinkFacts& link) {
    const auto document = choice_to_json(choice);
    const bool everywhere_alike = !looks_at_links(document, catalogue.methods);
    const auto known = [&](const MethodOverLinks& one) {
      return choice_to_json(one.method) == document && (everywhere_alike || one.link == link);
    };
    if (std::none_of(all.begin(), all.end(), known)) all.push_back({choice, link});
  };
  for (const auto& method : scenario.methods) {
    for (const auto& choice : choices_of(method)) {
      for (const auto& profile : link_profiles(scenario)) add(choice, link_facts(profile));
    }
  }
  return all;
}

WorkerSpec spec_of(const Scenario& scenario, const Profile& profile, const std::string& sample,
                   std::int64_t iterations) {
  WorkerSpec spec;
  spec.role = "profile-exchanges";
  spec.workers = scenario.workers;
  spec.seed = scenario.seeds.front();
  spec.workload = scenario.workload;
  spec.workload.initial = Initial{};
  spec.data_folder = data_folder();
  spec.python_folder = scenario.python_folder;
  spec.compose.emplace();
  spec.compose->profile = profile;
  spec.compose->sample = std::filesystem::absolute(sample).string();
  spec.compose->iterations = std::max(iterations, kLeastIterations);
  return spec;
}

/// The method's label, or its canonical JSON when the catalogue lacks the method.
std::string label_of(const Json& method, const Catalogue& catalogue) {
  const auto choice = choice_from_canonical_json(method);
  const auto* info = catalogue.find_method(choice.name);
  return info == nullptr ? method.dump() : default_label(*info, choice.options, catalogue.methods);
}

}  // namespace

std::vector<MethodExchanges> measure_exchanges(const Scenario& scenario, const Profile& profile,
                                               const std::string& sample, std::int64_t iterations,
                                               const Programs& programs,
                                               const Interrupt& interrupt) {
  auto spec = spec_of(scenario, profile, sample, iterations);
  spec.exchanges = methods_of(scenario, load_catalogue(programs));
  const run::LoneWork work{"profiling of the methods' exchanges", "exchanges-profiled"};
  auto document = to_json(profile);
  document["exchanges"] = run::run_alone({spec}, work, programs, interrupt).front().at("exchanges");
  return profile_from_json("the exchanges that the worker measured", document).exchanges;
}

std::vector<MethodExchanges> assumed_exchanges(std::vector<MethodExchanges> measured,
                                               double gb_per_s) {
  for (auto& exchanges : measured) {
    const auto factor = exchanges.copy_gb_per_s / gb_per_s;
    const auto scale = [factor](MethodExchanges::Bucket& bucket) {
      for (auto& step : bucket.steps) step.work_ms *= factor;
      bucket.end_ms *= factor;
    };
    const auto scale_all = [&scale](auto& iteration) {
      for (auto& bucket : iteration.buckets) scale(bucket);
      scale(iteration.beside);
    };
    scale_all(exchanges);
    for (auto& rank : exchanges.ranks) {
      for (auto& iteration : rank.iterations) {
        scale_all(iteration);
        scale(iteration.step);
        scale(iteration.weights);
      }
    }
  }
  return measured;
}

std::string exchanges_table(const Profile& profile, const Catalogue& catalogue) {
  if (profile.exchanges.empty()) return "";
  const auto& assumption = profile.assumption;
  std::string text = "\nexchanges of one worker, alone on the machine";
  if (assumption && assumption->memory_gb_per_s) {
    text += fmt::format(", work assumed at {:g} GB/s of memory", *assumption->memory_gb_per_s);
  }
  text += "\nworkers    payload B  encode ms  decode ms  method\n";
  for (const auto& one : profile.exchanges) {
    text += fmt::format("{:7}  {:11}  {:9.3g}  {:9.3g}  {}{}\n", one.workers, one.payload_bytes(),
                        one.encode_ms(), one.decode_ms(), label_of(one.method, catalogue),
                        one.link ? fmt::format(" at {:g} Mbit/s", one.link->rate_mbit) : "");
  }
  return text;
}

}  // namespace pacbench::profile
