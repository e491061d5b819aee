#include "harness/store/manifest.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "base/subprocess.h"
#include "harness/machine/build_info.h"
#include "harness/text/difference.h"

namespace pacbench::store {
namespace {

/// A member of a manifest that is text, and its key in manifest.json.
struct Text {
  const char* key;
  std::string Manifest::*member;
};
constexpr std::array kTexts{Text{"command", &Manifest::command},
                            Text{"scenario_hash", &Manifest::scenario_hash},
                            Text{"comparison_hash", &Manifest::comparison_hash},
                            Text{"pacbench_version", &Manifest::pacbench_version},
                            Text{"git_commit", &Manifest::git_commit},
                            Text{"torch_version", &Manifest::torch_version},
                            Text{"started_utc", &Manifest::started_utc}};

Json to_json(const Continuation& continuation) {
  Json node{{"command", continuation.command},
            {"git_commit", continuation.git_commit},
            {"utc", continuation.utc}};
  if (continuation.environment) node["environment"] = to_json(*continuation.environment);
  return node;
}

Continuation continuation_from_json(ObjectReader& reader) {
  Continuation continuation;
  continuation.command = reader.text("command");
  continuation.git_commit = reader.text("git_commit");
  continuation.utc = reader.text("utc");
  if (reader.has("environment")) {
    continuation.environment = environment_from_json(reader.object("environment"));
  }
  return continuation;
}

std::string quota_words(const Environment& machine) {
  return machine.cpu_quota ? fmt::format("{:.3g} CPUs", *machine.cpu_quota) : "none";
}

std::string own_command() {
  std::istringstream words{read_file("/proc/self/cmdline")};
  std::vector<std::string> argv;
  for (std::string word; std::getline(words, word, '\0');) argv.push_back(word);
  return shell_words(argv);
}

std::string clock_words(const Json& scenario) {
  const int factor = scenario.value("time_dilation", 1);
  return factor == 1 ? "CLOCK_MONOTONIC, ns" : fmt::format("CLOCK_MONOTONIC / {}, ns", factor);
}

}  // namespace

Json to_json(const Manifest& manifest) {
  Json document{{"format", Manifest::kFormat},
                {"clock", clock_words(manifest.scenario)},
                {"scenario", manifest.scenario},
                {"environment", to_json(manifest.environment)},
                {"links", manifest.links}};
  for (const auto& text : kTexts) document[text.key] = manifest.*text.member;
  if (!manifest.device.is_null()) document["device"] = manifest.device;
  if (!manifest.devices.is_null()) document["devices"] = manifest.devices;
  if (!manifest.python.is_null()) document["python"] = manifest.python;
  for (const auto& continuation : manifest.continued) {
    document["continued"].push_back(to_json(continuation));
  }
  return document;
}

Manifest manifest_from_json(const std::string& source, const Json& document) {
  const auto format = document.is_object() ? document.value("format", Json{}) : Json{};
  if (format != Manifest::kFormat) {
    throw ConfigError{source, "/format",
                      fmt::format("found {}, expected \"{}\": use the pacbench that made the run",
                                  describe_found(format), Manifest::kFormat)};
  }
  std::vector<Issue> issues;
  ObjectReader reader{document, "", issues};
  Manifest manifest;
  for (const auto& text : kTexts) manifest.*text.member = reader.text(text.key);
  manifest.scenario = reader.raw("scenario");
  if (!manifest.scenario.is_object()) {
    reader.complain("scenario",
                    fmt::format("found {}, expected an object", describe_found(manifest.scenario)));
  }
  manifest.environment = environment_from_json(reader.object("environment"));
  if (reader.has("links")) manifest.links = reader.raw("links");
  manifest.device = reader.raw("device");
  manifest.devices = reader.raw("devices");
  manifest.python = reader.raw("python");
  if (reader.has("continued")) {
    for (auto& one : reader.objects("continued")) {
      manifest.continued.push_back(continuation_from_json(one));
    }
  }
  if (issues.empty()) return manifest;
  issues.push_back({"",
                    "the file was edited, or is of another version of pacbench; use the file that "
                    "the run wrote"});
  throw ConfigError{source, issues};
}

Manifest read_manifest(const std::string& run_folder) {
  const auto path = run_folder + "/manifest.json";
  if (!std::filesystem::exists(path)) {
    throw ConfigError{
        run_folder, "",
        "holds no manifest.json, which pacbench run writes first, so this is not the whole "
        "folder of a run: use the whole folder that pacbench run --out wrote"};
  }
  return manifest_from_json(path, read_json_file(path));
}

Manifest new_manifest(const Scenario& scenario, const Catalogue& catalogue) {
  Manifest manifest;
  manifest.command = own_command();
  manifest.scenario = to_json(scenario);
  manifest.scenario_hash = scenario_hash(scenario);
  manifest.comparison_hash = comparison_hash(scenario);
  manifest.pacbench_version = version();
  manifest.git_commit = git_commit();
  manifest.torch_version = catalogue.torch_version;
  manifest.started_utc = utc_now();
  manifest.environment = Environment::read();
  const auto own = users_classes(catalogue);
  if (!own.methods.empty() || !own.models.empty()) manifest.python = to_json(own);
  return manifest;
}

void add_continuation(Manifest& manifest, const std::optional<Environment>& trained_on) {
  manifest.continued.push_back({own_command(), git_commit(), utc_now(), trained_on});
}

void add_links(Manifest& manifest, const std::string& profile, const netd::CreatedReply& created) {
  auto node = netd::to_json(created);
  node.erase("type");
  manifest.links[profile] = std::move(node);
}

std::vector<Origin> origins(const Manifest& manifest, const Catalogue& catalogue) {
  const auto here = Environment::read();
  std::vector<Origin> all{
      {"/torch_version", "torch", manifest.torch_version, catalogue.torch_version, false},
      {"/pacbench_version", "pacbench", manifest.pacbench_version, version(), false}};
  const auto add_machine = [&](const std::string& place, const Environment& there) {
    all.push_back({place + "/environment/cpu", "CPU", there.cpu, here.cpu, true});
    all.push_back({place + "/environment/cores", "number of cores", fmt::to_string(there.cores),
                   fmt::to_string(here.cores), true});
  };
  add_machine("", manifest.environment);
  for (std::size_t i = 0; i < manifest.continued.size(); ++i) {
    const auto& later = manifest.continued[i].environment;
    if (later) add_machine(fmt::format("/continued/{}", i), *later);
  }
  return all;
}

void require_same_origin(const std::string& source, const Manifest& manifest,
                         const Catalogue& catalogue) {
  const bool times_count = mode_traits(manifest.scenario.value("mode", Mode::kEmulate)).has_network;
  std::vector<Issue> issues;
  auto all = origins(manifest, catalogue);
  if (manifest.environment.machine_cpus != 0) {
    // A quota changes times, but no curve.
    all.push_back({"/environment/cpu_quota", "CPU quota", quota_words(manifest.environment),
                   quota_words(Environment::read()), true});
  }
  for (const auto& origin : all) {
    if (origin.there == origin.here || (origin.of_machine && !times_count)) continue;
    issues.push_back(
        {origin.pointer,
         fmt::format("the run was made with {} {}, but here it is {}: old and new cells could "
                     "not be compared; resume it with the former, or start a new run",
                     origin.words, origin.there, origin.here)});
  }
  if (!issues.empty()) throw ConfigError{source, issues};
}

void require_same_scenario(const std::string& source, const Manifest& manifest,
                           const Scenario& scenario) {
  const auto difference =
      first_difference(asked_part(to_json(scenario)), asked_part(manifest.scenario));
  if (!difference) return;
  throw ConfigError{
      source, difference->pointer,
      fmt::format("the scenario is not the one that this run was started with: found {}, "
                  "expected {}; undo the change or start a new run",
                  difference->found, difference->expected)};
}

}  // namespace pacbench::store
