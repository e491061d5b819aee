#include "harness/profile/measure.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "base/sha256.h"
#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/python_name.h"
#include "harness/machine/devices.h"
#include "harness/machine/environment.h"
#include "harness/profile/exchanges.h"
#include "harness/run/lone_workers.h"

namespace pacbench::profile {
namespace {

namespace fs = std::filesystem;

/// The GPU that the profiling workers compute on, as a run's manifest names it; else "unknown".
std::string gpu_name(const Programs& programs) {
  const auto devices = ask_devices(programs.worker);
  return devices.gpus.empty() ? "unknown" : devices.gpus.front();
}

std::string hardware_of(const ProfileRequest& request, const Programs& programs) {
  if (!request.hardware.empty()) return request.hardware;
  if (request.device == "cuda") return gpu_name(programs);
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

}  // namespace pacbench::profile
