#include "harness/run/pretrain.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>

#include "base/clock.h"
#include "base/files.h"
#include "base/sha256.h"
#include "harness/build_info.h"
#include "harness/cell/log.h"
#include "harness/cell/worker_channel.h"
#include "harness/environment.h"
#include "harness/process.h"
#include "harness/process_table.h"
#include "spec/worker_spec.h"
#include "spec/workload_json.h"

namespace pacbench {
namespace {

namespace fs = std::filesystem;

constexpr int kTickMs = 500;

/// Everything that the weights depend on, the order in which floats are added included.
Json key_of(const Scenario& scenario, std::int64_t seed, const std::string& torch_version) {
  const auto workload = workload_to_json(scenario.workload);
  const auto environment = Environment::read();
  return {{"model", workload.at("model")},
          {"initial", workload.at("initial")},
          {"seed", seed},
          {"cpu", environment.cpu},
          {"cores", environment.cores},
          {"pacbench_version", version()},
          {"torch_version", torch_version}};
}

WorkerSpec pretrain_spec(const Scenario& scenario, std::int64_t seed, const std::string& path) {
  WorkerSpec spec;
  spec.role = "pretrain";
  spec.seed = seed;
  spec.timeout_s = scenario.timeout_s;
  spec.workload = scenario.workload;
  // A worker of this role exchanges nothing; the specification names a method all the same.
  spec.method = scenario.methods.front().choice;
  spec.targets = scenario.targets;
  spec.data_folder = data_folder();
  spec.checkpoint = path;
  return spec;
}

[[noreturn]] void pretraining_failed(const std::string& why) {
  throw CommandFailed{"the pre-training failed: " + why};
}

/// Runs the worker to its end and returns the seconds that it reports.
double run_worker(const WorkerSpec& spec, const Programs& programs, const Interrupt& interrupt) {
  WorkerChannel channel{to_json(spec).dump()};
  auto child = start_process({programs.worker}, minimal_environment(), channel.worker_ends());
  channel.started();
  double elapsed_s = -1;
  auto moved_ns = monotonic_ns();
  std::string errors;
  while (!channel.closed()) {
    std::vector<pollfd> polls{{interrupt.fd(), POLLIN, 0}};
    channel.add_to(polls);
    ::poll(polls.data(), polls.size(), kTickMs);
    if (interrupt.requested()) {
      throw CellEnded{"interrupted", "stopped by a signal during the pre-training"};
    }
    // It says nothing until its end: how long it may work nobody knows, but not how long it may
    // stand still.
    if (!is_stopped(child.pid(), child.pid())) moved_ns = monotonic_ns();
    if (seconds(monotonic_ns() - moved_ns) > spec.timeout_s) {
      pretraining_failed(fmt::format("its worker has been stopped (SIGSTOP) for {:g} s (timeout_s)",
                                     spec.timeout_s));
    }
    for (const auto& line : channel.exchange()) {
      const auto event = Json::parse(line, nullptr, false);
      if (!event.is_object()) pretraining_failed("the worker wrote what is no event: " + line);
      const auto kind = event.value("event", "");
      if (kind == "failed") errors += event.value("message", "") + "\n";
      if (kind == "pretrained") elapsed_s = event.value("seconds", -1.0);
    }
    errors += channel.take_errors();
  }
  const auto status = child.wait();
  if (!status.ok()) {
    pretraining_failed(
        fmt::format("the worker ended with {}: {}", status.describe(), last_lines(errors, 5)));
  }
  if (elapsed_s < 0) pretraining_failed("the worker ended without an event \"pretrained\"");
  return elapsed_s;
}

}  // namespace

std::string checkpoint_path(const Scenario& scenario, std::int64_t seed,
                            const std::string& torch_version) {
  return fmt::format("{}/checkpoints/{}.pt", cache_folder(),
                     sha256(key_of(scenario, seed, torch_version).dump()));
}

Checkpoint ensure_checkpoint(const Scenario& scenario, std::int64_t seed,
                             const std::string& torch_version, const Programs& programs,
                             const Interrupt& interrupt, Progress& progress) {
  const auto& initial = scenario.workload.initial;
  if (initial.kind != "pretrain") return {initial.path};
  const auto path = checkpoint_path(scenario, seed, torch_version);
  const auto note = path + ".json";
  if (fs::exists(path) && fs::exists(note)) {
    return {path, read_json_file(note).at("pretrain_s")};
  }
  progress.say(fmt::format("pre-training seed {} (once, kept as {})", seed, path));
  fs::create_directories(fs::path{path}.parent_path());
  const auto temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  const auto remove = [](const std::string* file) { ::unlink(file->c_str()); };
  const std::unique_ptr<const std::string, decltype(remove)> clean_up{&temporary, remove};
  const auto elapsed_s = run_worker(pretrain_spec(scenario, seed, temporary), programs, interrupt);
  // The note first: a checkpoint is complete when both are there.
  write_file_atomically(
      note,
      Json{{"pretrain_s", elapsed_s}, {"made_from", key_of(scenario, seed, torch_version)}}.dump(
          2));
  fs::rename(temporary, path);
  progress.say(fmt::format("pre-training seed {} took {:.1f} s", seed, elapsed_s));
  return {path, elapsed_s};
}

}  // namespace pacbench
