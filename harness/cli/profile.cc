#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "base/files.h"
#include "harness/cell/log.h"
#include "harness/cli/command.h"
#include "harness/data/datasets.h"
#include "harness/profile/exchanges.h"
#include "harness/profile/measure.h"
#include "harness/run/override.h"

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
  std::string output;
};

/// MODEL is a scenario's file, or the name of a model.
Json document_at(const ProfileOptions& options) {
  return fs::path{options.model}.extension() == ".json"
             ? read_json_file(options.model)
             : profile::workload_document(options.model, options.dataset, options.batch);
}

/// One that composes may ask for the very profile that is to be made; what methods exchange may
/// hang on the network.
Json scenario_of(const ProfileOptions& options, Json document) {
  document.erase("compose");
  document["mode"] = options.exchanges && document.contains("network") ? "emulate" : "learn";
  for (const auto& assignment : options.overrides) run::apply_override(document, assignment);
  return document;
}

/// `exchanges`: whether there are some whose times would be assumed too.
std::optional<Profile::Assumption> assumption_of(const ProfileOptions& options, bool exchanges) {
  const bool bandwidth = options.memory_gb_per_s > 0;
  if (bandwidth != (exchanges && !options.assume.empty())) {
    throw ConfigError{"--memory-bandwidth",
                      {{"", fmt::format("found it {}, expected it with both --exchanges and "
                                        "--assume, and only then: what encodes and decodes is "
                                        "assumed to go as fast as memory there",
                                        bandwidth ? "given" : "missing")}}};
  }
  if (options.assume.empty()) return std::nullopt;
  Profile::Assumption assumption{options.assume.at(0), options.assume.at(1)};
  if (bandwidth) assumption.memory_gb_per_s = options.memory_gb_per_s;
  if (assumption.peak_tflops > 0 && assumption.utilisation > 0 && assumption.utilisation <= 1 &&
      !options.hardware.empty()) {
    return assumption;
  }
  throw ConfigError{"--assume",
                    {{"", fmt::format("found {:g} TFLOP/s used to {:g}{}, expected more than 0, a "
                                      "share in (0, 1], and --hardware to say whose they are",
                                      assumption.peak_tflops, assumption.utilisation,
                                      options.hardware.empty() ? " of no named hardware" : "")}}};
}

void write_profile(const Profile& profile, const std::string& path, const Catalogue& catalogue) {
  write_file_atomically(path, to_json(profile).dump() + '\n');
  fmt::print("{}{}", profile::profile_table(profile), profile::exchanges_table(profile, catalogue));
}

/// The profile in MODEL at another speed, with the same sample of gradients.
int assume_anew(ProfileOptions options, const Json& document) {
  auto found = profile_from_json(options.model, document);
  if (options.hardware.empty()) options.hardware = found.hardware;
  const auto assumption = assumption_of(options, found.measured() && !found.exchanges.empty());
  if (!assumption || options.output.empty() || options.exchanges || !options.overrides.empty()) {
    throw ConfigError{options.model,
                      {{"",
                        "found a profile, expected with it --assume, -o and nothing that "
                        "would have to be measured: its times at another speed"}}};
  }
  const auto sample = fs::absolute(options.model).parent_path() / found.sample.file;
  auto result = profile::assumed_profile(found, *assumption);
  result.hardware = options.hardware;
  result.sample.file = fs::proximate(sample, fs::absolute(options.output).parent_path()).string();
  write_profile(result, options.output, load_catalogue(Programs::find()));
  return kFine;
}

/// Methods are profiled on the CPU, wherever the model computed.
void require_measurable_exchanges(const ProfileOptions& options) {
  if (!options.exchanges || options.device == "cpu") return;
  throw ConfigError{
      "--exchanges",
      {{"", fmt::format("found it with --device {}, expected --device cpu: methods would "
                        "encode and decode on the CPU here, and the profile would call "
                        "these times a GPU's. Profile without --exchanges and compose "
                        "with compose.exchange \"here\", which encodes for real",
                        options.device)}}};
}

int measure(const ProfileOptions& options, Json document) {
  require_measurable_exchanges(options);
  const auto programs = Programs::find();
  const auto catalogue = load_catalogue(programs);
  const auto assumption = assumption_of(options, options.exchanges);
  const auto scenario =
      scenario_from_json(options.model, scenario_of(options, std::move(document)), catalogue);
  data::require_datasets(scenario, catalogue);
  profile::ProfileRequest request{scenario.workload, options.device, options.workers,
                                  assumption ? "" : options.hardware, options.output};
  request.workload.max_iterations = options.iterations;
  if (request.path.empty()) request.path = scenario.workload.model.name + ".profile.json";
  try {
    const Interrupt interrupt;
    auto result = profile::measure_profile(request, programs, interrupt);
    if (options.exchanges) {
      result.exchanges =
          profile::measure_exchanges(scenario, result, profile::sample_path(request.path),
                                     options.iterations, programs, interrupt);
    }
    if (assumption) {
      result = profile::assumed_profile(result, *assumption);
      result.hardware = options.hardware;
    }
    write_profile(result, request.path, catalogue);
    fmt::print(stderr, "{}, and a sample of gradients in {}\n", request.path,
               profile::sample_path(request.path));
    return kFine;
  } catch (const cell::CellEnded& ended) {
    fmt::print(stderr, "pacbench: {}\n", ended.reason);
    return kInterrupted;
  }
}

int profile(const ProfileOptions& options) {
  auto document = document_at(options);
  return is_profile(document) ? assume_anew(options, document)
                              : measure(options, std::move(document));
}

}  // namespace

void add_profile(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ProfileOptions>();
  auto* command = app.add_subcommand(
      "profile", "Time a model's forward pass, its buckets and its optimiser, for mode compose");
  command
      ->add_option("MODEL", options->model,
                   "A model's name, a scenario file whose workload is to be profiled, or with "
                   "--assume a profile whose times are to be those of another speed")
      ->required();
  command->add_option("--device", options->device, "cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command->add_option("--dataset", options->dataset, "Of a model that is named")
      ->capture_default_str();
  command->add_option("--batch", options->batch, "Samples of a worker, of a model that is named")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("--iterations", options->iterations, "To time, after three that are not")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command
      ->add_option("--workers", options->workers,
                   "That compute at the same time and share the cores, as those of a cell do")
      ->check(CLI::Range(1, 128))
      ->capture_default_str();
  add_set_option(*command, options->overrides);
  command
      ->add_option("--assume", options->assume,
                   "Peak TFLOP/s and the share of them that is used: times of hardware that is "
                   "not here, as an assumption")
      ->expected(2);
  command->add_flag("--exchanges", options->exchanges,
                    "Profile what each method of the scenario calls and how long it encodes and "
                    "decodes alone, for compose.exchange \"profile\"; on the CPU only");
  command
      ->add_option("--memory-bandwidth", options->memory_gb_per_s,
                   "GB/s, read and written, of the hardware that --assume speaks of: times of "
                   "--exchanges are scaled by it")
      ->check(CLI::PositiveNumber);
  command->add_option("--hardware", options->hardware, "What it is measured on or assumed of");
  command->add_option("-o,--output", options->output,
                      "The profile's file (default: MODEL.profile.json)");
  command->callback([options, &exit_code] { exit_code = profile(*options); });
}

}  // namespace pacbench::cli
