#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/files.h"
#include "base/json/hints.h"
#include "cli/command.h"
#include "contract/catalogue/python_name.h"
#include "harness/data/datasets.h"
#include "harness/machine/programs.h"
#include "harness/machine/python.h"
#include "harness/plan/scenario_file.h"
#include "harness/profile/measure.h"

namespace pacbench::cli {
namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
  std::string model;
  std::string device = "cpu";
  std::string dataset = "digits";
  std::int64_t batch = 32;
  std::int64_t iterations = 20;
  int workers = 1;
  std::string hardware;
  std::vector<std::string> overrides;
  std::vector<double> assume;
  double memory_gb_per_s = 0;  ///< 0: not given
  bool exchanges = false;
  std::vector<int> exchange_workers;
  std::string output;
};

/// The document that MODEL names: a new scenario for a model, else the file or the shipped scenario
/// of that name, whose path `options.model` becomes. Throws ConfigError when there is none.
Json document_at(ProfileOptions& options, const Catalogue& catalogue) {
  if (catalogue.find_model(options.model) != nullptr || is_users_class(options.model)) {
    return profile::workload_document(options.model, options.dataset, options.batch);
  }
  const auto folders = shipped_folders("scenarios");
  if (const auto path = plan::find_scenario(options.model, folders)) {
    options.model = *path;
    return read_json_file(*path);
  }
  std::vector<std::string> names;
  for (const auto& model : catalogue.models) names.push_back(model.name);
  for (const auto& scenario : plan::shipped_scenarios(folders)) names.push_back(scenario.name);
  throw ConfigError{
      options.model,
      {{"", fmt::format("found no model, file or scenario of this name{}; `pacbench list models` "
                        "and `pacbench list scenarios` print the known names",
                        did_you_mean(options.model, names))}}};
}

/// Changes a simulated scenario's document for a mode that runs its workers. Such a mode allows at
/// most CreateRequest::kMaxWorkers workers. The links become a star. They keep their rates, because
/// methods may choose by them, except edge_mbit, which a star does not have.
Json for_real_workers(Json document) {
  constexpr int kMost = netd::CreateRequest::kMaxWorkers;
  document["workers"] = std::min(document.value("workers", kMost), kMost);
  document.erase("simulate");
  if (!document.contains("network")) return document;
  auto& network = document["network"];
  for (const char* key : {"topology", "shape", "groups"}) network.erase(key);
  for (auto& link : network["links"]) {
    for (const char* key : {"topology", "shape", "groups", "edge_mbit"}) link.erase(key);
  }
  return document;
}

/// Returns the document with the options' changes. It lacks "compose", which may ask for the very
/// profile that is to be made. With --exchanges and a network the mode is emulate, since what
/// methods exchange may depend on the links; otherwise the mode is learn.
Json scenario_of(const ProfileOptions& options, Json document) {
  if (document.value("mode", Json{}) == "simulate") document = for_real_workers(document);
  for (const char* key : {"compose", "time_dilation"}) document.erase(key);
  document["mode"] = options.exchanges && document.contains("network") ? "emulate" : "learn";
  for (const auto& assignment : options.overrides) plan::apply_override(document, assignment);
  return document;
}

/// Returns what --assume asks for; nothing when it was not given. `exchanges`: whether there are
/// exchanges whose times would be assumed too.
std::optional<Profile::Assumption> assumption_of(const ProfileOptions& options, bool exchanges) {
  const bool bandwidth = options.memory_gb_per_s > 0;
  if (bandwidth != (exchanges && !options.assume.empty())) {
    throw ConfigError{
        "--memory-bandwidth",
        {{"", fmt::format(
                  "found {}; expected this option together with --assume, for a profile with "
                  "exchanges, since encoding and decoding are assumed to be as fast as the assumed "
                  "device's memory",
                  bandwidth ? "the option, but no exchange times to assume" : "no value")}}};
  }
  if (options.assume.empty()) return std::nullopt;
  Profile::Assumption assumption{options.assume.at(0), options.assume.at(1)};
  if (bandwidth) assumption.memory_gb_per_s = options.memory_gb_per_s;
  if (assumption.peak_tflops > 0 && assumption.utilisation > 0 && assumption.utilisation <= 1 &&
      !options.hardware.empty()) {
    return assumption;
  }
  throw ConfigError{
      "--assume",
      {{"", fmt::format("found {:g} TFLOP/s and a used share of {:g}{}; expected more than 0 "
                        "TFLOP/s, a share in (0, 1], and --hardware with the device's name",
                        assumption.peak_tflops, assumption.utilisation,
                        options.hardware.empty() ? " without --hardware" : "")}}};
}

void write_profile(const Profile& profile, const std::string& path, const Catalogue& catalogue) {
  write_file_atomically(path, to_json(profile).dump() + '\n');
  fmt::print("{}{}", profile::profile_table(profile), profile::exchanges_table(profile, catalogue));
}

/// Converts the profile in MODEL to another speed and writes it. The new profile names the same
/// file with a sample of gradients.
void assume_anew(ProfileOptions options, const Json& document, const Catalogue& catalogue) {
  auto found = profile_from_json(options.model, document);
  if (options.hardware.empty()) options.hardware = found.hardware;
  const auto assumption = assumption_of(options, found.measured() && !found.exchanges.empty());
  if (!assumption || options.output.empty() || options.exchanges || !options.overrides.empty()) {
    throw ConfigError{
        options.model,
        {{"",
          "found a profile, whose times can only be converted to another speed; expected --assume "
          "and -o, and neither --exchanges nor --set, since nothing is measured"}}};
  }
  const auto sample = fs::absolute(options.model).parent_path() / found.sample.file;
  auto result = profile::assumed_profile(found, *assumption);
  result.hardware = options.hardware;
  result.sample.file = fs::proximate(sample, fs::absolute(options.output).parent_path()).string();
  write_profile(result, options.output, catalogue);
}

/// Refuses --exchanges with another device than the CPU, since methods are profiled on the CPU.
void require_measurable_exchanges(const ProfileOptions& options) {
  if (!options.exchanges || options.device == "cpu") return;
  throw ConfigError{
      "--exchanges",
      {{"",
        fmt::format(
            "found it with --device {}, expected --device cpu: methods are profiled on the "
            "CPU, so the profile would give their CPU times as a GPU's. Profile without "
            "--exchanges, and run mode compose with compose.exchange \"here\", in which methods "
            "encode during the run (with nccl on the GPU)",
            options.device)}}};
}

struct Means {
  const Programs& programs;
  const Interrupt& interrupt;
};

/// Measures the exchanges among the scenario's workers, or among each number of workers that the
/// options ask for, and puts them into the profile.
void add_exchanges(const ProfileOptions& options, Scenario scenario, const std::string& path,
                   const Means& means, Profile& profile) {
  auto all_workers = options.exchange_workers;
  if (all_workers.empty()) all_workers.push_back(scenario.workers);
  std::vector<MethodExchanges> found;
  for (const int workers : all_workers) {
    scenario.workers = workers;
    for (auto& one :
         profile::measure_exchanges(scenario, profile, profile::sample_path(path),
                                    options.iterations, means.programs, means.interrupt)) {
      found.push_back(std::move(one));
    }
  }
  profile.exchanges = std::move(found);
}

void measure(ProfileOptions options, Json document, const Programs& programs, Catalogue catalogue) {
  require_measurable_exchanges(options);
  if (document.value("mode", Json{}) == "simulate" && options.exchange_workers.empty()) {
    options.exchange_workers.push_back(document.value("workers", 2));
  }
  const auto assumption = assumption_of(options, options.exchanges);
  document = scenario_of(options, std::move(document));
  describe_python(options.model, document, programs.folder, catalogue);
  const auto scenario = scenario_from_json(options.model, document, catalogue);
  data::require_datasets(scenario, catalogue);
  profile::ProfileRequest request{scenario.workload,
                                  scenario.python_folder,
                                  options.device,
                                  options.workers,
                                  assumption ? "" : options.hardware,
                                  options.output};
  request.workload.max_iterations = options.iterations;
  if (request.path.empty()) {
    request.path = label_name(scenario.workload.model.name) + ".profile.json";
  }
  const Interrupt interrupt;
  auto result = profile::measure_profile(request, programs, interrupt);
  if (options.exchanges)
    add_exchanges(options, scenario, request.path, {programs, interrupt}, result);
  if (assumption) {
    result = profile::assumed_profile(result, *assumption);
    result.hardware = options.hardware;
  }
  write_profile(result, request.path, catalogue);
  fmt::print(stderr, "wrote the profile {} and the sample of gradients {}\n", request.path,
             profile::sample_path(request.path));
}

void profile(ProfileOptions options) {
  const auto programs = Programs::find();
  const auto catalogue = load_catalogue(programs);
  auto document = document_at(options, catalogue);
  if (is_profile(document)) return assume_anew(options, document, catalogue);
  measure(options, std::move(document), programs, catalogue);
}

}  // namespace

void add_profile(CLI::App& app, int&) {
  const auto options = std::make_shared<ProfileOptions>();
  auto* command = app.add_subcommand(
      "profile", "Time a model's forward pass, its buckets and its optimiser, for mode compose");
  command
      ->add_option("MODEL", options->model,
                   "A model's name, or FILE.py:CLASS of a task of your own; a scenario (file or "
                   "name), whose workload is profiled; or, "
                   "with --assume, a profile, whose times are converted to another speed")
      ->required();
  add_checked(*command, "--device", options->device, "Where the model computes",
              one_of({"cpu", "cuda"}));
  command->add_option("--dataset", options->dataset, "Data set, where MODEL is a model's name")
      ->capture_default_str();
  add_checked(*command, "--batch", options->batch,
              "Samples per worker and iteration, where MODEL is a model's name",
              CLI::Range(1, 65536));
  add_checked(*command, "--iterations", options->iterations,
              "How many iterations are timed, after three untimed iterations",
              CLI::Range(1, 100000));
  add_checked(
      *command, "--workers", options->workers,
      "How many workers compute at the same time and share the cores, as those of a cell do",
      CLI::Range(1, 128));
  add_set_option(*command, options->overrides);
  command
      ->add_option("--assume", options->assume,
                   "Assume the times of other hardware, from its peak TFLOP/s and the share of the "
                   "peak that training reaches")
      ->expected(2);
  command->add_flag(
      "--exchanges", options->exchanges,
      "Also profile, for compose.exchange \"profile\", which collectives each method of the "
      "scenario calls, and how long one worker alone encodes and decodes; on the CPU only");
  command
      ->add_option("--exchange-workers", options->exchange_workers,
                   "Numbers of workers for which --exchanges profiles the methods, for mode "
                   "simulate (default: the scenario's number)")
      ->delimiter(',')
      ->check(CLI::Range(2, kMostSimulatedWorkers));
  command
      ->add_option("--memory-bandwidth", options->memory_gb_per_s,
                   "Memory bandwidth of the hardware that --assume describes, in GB/s, reads and "
                   "writes together; encoding and decoding times are scaled by the measured "
                   "bandwidth over this one")
      ->check(CLI::PositiveNumber);
  command->add_option("--hardware", options->hardware,
                      "Name of the hardware whose times are measured or assumed");
  command->add_option("-o,--output", options->output,
                      "File to write the profile to (default: the name of the model, with "
                      ".profile.json; required with a profile as MODEL)");
  command->callback([options] { profile(*options); });
}

}  // namespace pacbench::cli
