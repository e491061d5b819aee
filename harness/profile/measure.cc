#include "harness/profile/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/sha256.h"
#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/python_name.h"
#include "harness/machine/devices.h"
#include "harness/machine/environment.h"
#include "harness/run/lone_workers.h"

namespace pacbench::profile {
namespace {

namespace fs = std::filesystem;

std::string hardware_of(const ProfileRequest& request, const Programs& programs) {
  if (!request.hardware.empty()) return request.hardware;
  if (request.device == "cuda") return first_gpu(programs.worker);
  const auto environment = Environment::read();
  return fmt::format("{}, {} cores", environment.cpu, environment.cores);
}

std::vector<WorkerSpec> specs_of(const ProfileRequest& request) {
  WorkerSpec spec;
  spec.role = "profile";
  spec.workers = request.workers;
  spec.device = request.device;
  spec.workload = request.workload;
  spec.workload.initial = Initial{};
  spec.python_folder = request.python_folder;
  spec.method = {"all-reduce", Json::object()};
  spec.data_folder = data_folder();
  std::vector<WorkerSpec> specs;
  for (; spec.rank < spec.workers; ++spec.rank) {
    // The sample of one rank is enough.
    spec.checkpoint = spec.rank == 0 ? fs::absolute(sample_path(request.path)).string() : "";
    specs.push_back(spec);
  }
  return specs;
}

/// An assumed profile's compute factor: time of computing on the assumed hardware, over its time on
/// the measured machine with all cores. `stretch` is the assumed time over the measured time. In a
/// measured profile all workers computed at the same time and shared the cores, so one worker with
/// all cores would have taken 1 / workers of the measured time. Nothing for a GPU, or for an
/// assumption that has no factor itself.
std::optional<double> compute_factor(const Profile& profile, double stretch) {
  if (profile.device != "cpu") return std::nullopt;
  if (profile.measured()) return stretch * profile.workers;
  const auto& before = profile.assumption->compute_factor;
  return before ? std::optional{stretch * *before} : std::nullopt;
}

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

/// The exchanges with their work as on a machine whose copies in memory move `gb_per_s`, bytes read
/// and written together: each measured time of work x MethodExchanges::copy_gb_per_s / gb_per_s.
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

}  // namespace

std::string sample_path(const std::string& path) {
  return fs::path{path}.replace_extension(".gradients").string();
}

Json workload_document(const std::string& model, const std::string& dataset, std::int64_t batch) {
  Json document{{"version", Scenario::kVersion},
                {"name", "profile"},
                {"mode", "learn"},
                {"workers", 2},
                {"workload",
                 {{"model", {{"name", model}}},
                  {"dataset", {{"name", dataset}}},
                  {"batch_per_worker", batch},
                  {"optimizer", {{"name", "sgd"}, {"lr", 0.01}, {"momentum", 0.9}}},
                  {"max_iterations", 1},
                  {"evaluate_every", 1}}},
                {"methods", {{{"name", "all-reduce"}}}},
                {"targets", {{"accuracy", {1}}}},
                {"seeds", {1}}};
  if (is_users_class(model)) {
    auto& workload = document["workload"];
    for (const char* key : {"model", "dataset"}) workload.erase(key);
    workload["task"] = model;
  }
  return document;
}

Profile measure_profile(const ProfileRequest& request, const Programs& programs,
                        const Interrupt& interrupt) {
  const run::LoneWork profiling{"profiling", "profiled"};
  const auto events = run::run_alone(specs_of(request), profiling, programs, interrupt);
  auto profile = events.front();
  for (auto other = std::next(events.begin()); other != events.end(); ++other) {
    for (const auto& iteration : other->at("iterations"))
      profile["iterations"].push_back(iteration);
  }
  const auto sample = sample_path(request.path);
  profile["sample"] = {{"file", fs::path{sample}.filename().string()},
                       {"sha256", sha256(read_file(sample))},
                       {"counts", profile.at("counts")}};
  profile.erase("event");
  profile.erase("counts");
  profile["format"] = Profile::kFormat;
  profile["source"] = "measured";
  profile["device"] = request.device;
  profile["hardware"] = hardware_of(request, programs);
  profile["model"] = choice_to_json(request.workload.model);
  profile["dataset"] = choice_to_json(request.workload.dataset);
  profile["batch_per_worker"] = request.workload.batch_per_worker;
  profile["workers"] = request.workers;
  return profile_from_json("the profile that the worker made", profile);
}

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

Profile assumed_profile(const Profile& measured, const Profile::Assumption& assumption) {
  auto profile = measured;
  profile.assumption = assumption;
  const double total_ms = 1e3 * measured.flop_per_sample *
                          static_cast<double>(measured.batch_per_worker) /
                          (assumption.peak_tflops * 1e12 * assumption.utilisation);
  const double stretch = total_ms / (measured.forward_ms() + measured.backward_ms());
  profile.assumption->compute_factor = compute_factor(measured, stretch);
  const double backward_ms = total_ms * 2 / 3;
  Profile::Iteration times{total_ms / 3, measured.ready_ms(), measured.optimizer_ms() * stretch};
  const double last_ms = times.ready_ms.back();
  for (auto& ready_ms : times.ready_ms) ready_ms *= backward_ms / last_ms;
  profile.iterations = {times};
  if (measured.assumption) {
    profile.assumption->memory_gb_per_s = measured.assumption->memory_gb_per_s;
  } else if (const auto& gb_per_s = assumption.memory_gb_per_s) {
    profile.exchanges = assumed_exchanges(measured.exchanges, *gb_per_s);
  }
  return profile;
}

std::string profile_table(const Profile& profile) {
  const auto ready_ms = profile.ready_ms();
  const auto origin =
      profile.measured()
          ? fmt::format("measured, {} workers at once, medians of {} iterations", profile.workers,
                        profile.iterations.size())
          : fmt::format("assumed: {:g} TFLOP/s, of which a share of {:g} is used",
                        profile.assumption->peak_tflops, profile.assumption->utilisation);
  auto text = fmt::format(
      "{}, {} parameters, batch of {}, on {} ({})\n"
      "forward {:.3g} ms, backward {:.3g} ms, optimiser {:.3g} ms\n"
      "{:.3g} GFLOP a sample, forward and backward\n\n"
      "bucket     tensors      bytes  ready after ms of backward\n",
      profile.model.at("name").get<std::string>(), profile.parameters(), profile.batch_per_worker,
      profile.hardware, origin, profile.forward_ms(), profile.backward_ms(), profile.optimizer_ms(),
      profile.flop_per_sample * 1e-9);
  for (std::size_t i = 0; i < profile.buckets.size(); ++i) {
    text += fmt::format("{:6}  {:10}  {:9}  {:.3g}\n", i, profile.buckets[i].parameters.size(),
                        4 * profile.buckets[i].elements, ready_ms[i]);
  }
  return text;
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
