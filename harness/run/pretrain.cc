#include "harness/run/pretrain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "base/sha256.h"
#include "contract/scenario/workload.h"
#include "contract/worker/worker_spec.h"
#include "harness/machine/build_info.h"
#include "harness/machine/devices.h"
#include "harness/machine/environment.h"
#include "harness/run/lone_workers.h"

namespace pacbench::run {
namespace {

namespace fs = std::filesystem;

/// Everything that the weights depend on, the order in which floats are added included. `gpu` is
/// empty where the weights are made on the CPU; the key then has no entry for a GPU.
Json key_of(const Scenario& scenario, std::int64_t seed, const std::string& torch_version,
            const std::string& gpu) {
  const auto workload = Json(scenario.workload);
  const auto environment = Environment::read();
  Json key{{"model", workload.at("model")},
           {"initial", workload.at("initial")},
           {"seed", seed},
           {"cpu", environment.cpu},
           {"cores", environment.cores},
           {"pacbench_version", version()},
           {"torch_version", torch_version}};
  if (!gpu.empty()) key["gpu"] = gpu;
  const auto held_out = scenario.workload.validation_samples;
  if (held_out > 0) key["validation_samples"] = held_out;
  return key;
}

WorkerSpec pretrain_spec(const Scenario& scenario, std::int64_t seed, const std::string& path) {
  WorkerSpec spec;
  spec.role = "pretrain";
  spec.seed = seed;
  spec.device = scenario.device;
  spec.timeout_s = scenario.timeout_s;
  spec.workload = scenario.workload;
  // A worker of role pretrain exchanges nothing; the specification needs a method all the same.
  spec.method = scenario.methods.front().choice;
  spec.targets = scenario.targets;
  spec.data_folder = data_folder();
  spec.checkpoint = path;
  return spec;
}

}  // namespace

Checkpoint ensure_checkpoint(const Scenario& scenario, std::int64_t seed,
                             const std::string& torch_version, const Programs& programs,
                             const Interrupt& interrupt, Progress& progress) {
  const auto& initial = scenario.workload.initial;
  if (initial.kind != "pretrain") return {initial.path};
  const auto gpu = uses_gpus(scenario) ? first_gpu(programs.worker) : "";
  const auto key = key_of(scenario, seed, torch_version, gpu);
  const auto path = fmt::format("{}/checkpoints/{}.pt", cache_folder(), sha256(key.dump()));
  const auto note = path + ".json";
  if (fs::exists(path) && fs::exists(note)) {
    return {path, read_json_file(note).at("pretrain_s")};
  }
  progress.say(fmt::format("pre-training seed {} (once, kept as {})", seed, path));
  fs::create_directories(fs::path{path}.parent_path());
  const auto temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  const auto remove = [](const std::string* file) { ::unlink(file->c_str()); };
  const std::unique_ptr<const std::string, decltype(remove)> clean_up{&temporary, remove};
  const LoneWork pretraining{"pre-training", "pretrained"};
  const auto events =
      run_alone({pretrain_spec(scenario, seed, temporary)}, pretraining, programs, interrupt);
  const double elapsed_s = events.front().at("seconds");
  // The note is written before the weights are put in place: a checkpoint is complete when both
  // files exist.
  write_file_atomically(note, Json{{"pretrain_s", elapsed_s}, {"made_from", key}}.dump(2));
  fs::rename(temporary, path);
  progress.say(fmt::format("pre-training seed {} took {:.1f} s", seed, elapsed_s));
  return {path, elapsed_s};
}

}  // namespace pacbench::run
