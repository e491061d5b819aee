#include "spec/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/sha256.h"
#include "spec/scenario.h"
#include "spec/schema_parts.h"
#include "spec/workload_json.h"

namespace pacbench {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostIterations = 100'000;

/// Throws ConfigError naming the file.
void check_sample(const std::string& path, const Profile& profile) {
  const auto found = sha256(read_file(path));
  if (found == profile.sample.sha256) return;
  throw ConfigError{path,
                    {{"", fmt::format("found the SHA-256 {}, expected {}: the sample of another "
                                      "profile",
                                      found, profile.sample.sha256)}}};
}

void read_profile_file(ObjectReader& reader, const std::string& source, Compose& compose) {
  const auto name = reader.text("profile");
  if (name.empty()) return;  // said already
  const auto path = fs::path{source}.parent_path() / name;
  try {
    compose.profile = profile_from_json(path.string(), read_json_file(path.string()));
    compose.sample = fs::absolute(path.parent_path() / compose.profile.sample.file).string();
    check_sample(compose.sample, compose.profile);
  } catch (const ConfigError& error) {
    reader.complain("profile", error.what());
  } catch (const std::system_error& error) {
    reader.complain("profile", fmt::format("{}; pacbench profile makes one", error.what()));
  }
}

void read_profile_here(ObjectReader& reader, Compose& compose) {
  try {
    compose.profile = profile_from_json("profile", reader.raw("profile"));
  } catch (const ConfigError& error) {
    reader.complain("profile", error.what());
  }
}

/// All but the profile.
void read_rest(ObjectReader& reader, Compose& compose) {
  const auto& curve = reader.raw("curve");
  if (curve.is_string()) compose.curve = curve;
  if (!curve.is_string() && !curve.is_null()) {
    reader.complain("curve",
                    fmt::format("found {}, expected a results folder", describe_found(curve)));
  }
  compose.iterations = reader.integer_or(
      "iterations", compose.iterations,
      {static_cast<double>(kLeastComposed), static_cast<double>(kMostIterations), false});
  compose.cell_s = reader.number_or("cell_s", compose.cell_s, {0.0, std::nullopt, false});
  compose.exchange = reader.choice_or("exchange", compose.exchange, {"here", "profile"});
  reader.finish();
}

}  // namespace

Compose read_compose(ObjectReader reader, const std::string& source) {
  Compose compose;
  if (reader.has("profile") && reader.raw("profile").is_object()) {
    read_profile_here(reader, compose);
  } else {
    read_profile_file(reader, source, compose);
  }
  read_rest(reader, compose);
  return compose;
}

void check_unused_compose(ObjectReader reader) {
  const auto& profile = reader.raw("profile");
  if (!profile.is_string() && !profile.is_object()) {
    reader.complain("profile", fmt::format("found {}, expected a file or what pacbench profile "
                                           "wrote",
                                           describe_found(profile)));
  }
  Compose unused;
  read_rest(reader, unused);
}

void check_exchanges(const Scenario& scenario, std::vector<Issue>& issues) {
  if (!scenario.compose || !replays_exchanges(*scenario.compose)) return;
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    const auto& method = scenario.methods[i];
    for (const auto& link : scenario.network.links) {
      if (find_exchanges(scenario.compose->profile.exchanges, choice_to_json(method.choice),
                         scenario.workers, link_facts(link)) != nullptr) {
        continue;
      }
      issues.push_back(
          {fmt::format("/methods/{}", i),
           fmt::format("found no exchanges of {} among {} workers over {} in the profile, expected "
                       "them with compose.exchange \"profile\"; pacbench profile SCENARIO "
                       "--exchanges -o PROFILE makes one that has them",
                       method.label, scenario.workers, link.name)});
    }
  }
}

std::int64_t iterations_that_fit(const Compose& compose, double first_s) {
  if (compose.cell_s == 0) return compose.iterations;
  const auto fitting = compose.cell_s * static_cast<double>(kLeastComposed) / first_s;
  return std::clamp(static_cast<std::int64_t>(fitting), kLeastComposed, compose.iterations);
}

Json to_json(const Compose& compose) {
  return {{"profile", to_json(compose.profile)},
          {"curve", compose.curve},
          {"iterations", compose.iterations},
          {"cell_s", compose.cell_s},
          {"exchange", compose.exchange}};
}

Json compose_schema() {
  using namespace schema;
  return closed_object(
      {{"profile", described({{"type", {"string", "object"}}},
                             "what pacbench profile wrote, as a path relative to the scenario")},
       {"curve", described({{"type", "string"}, {"default", ""}},
                           "results folder of a run in mode learn or emulate with the same "
                           "workload, workers, methods and seeds; without it there is no TTA")},
       {"iterations",
        described(with_default(integer(kLeastComposed, kMostIterations), Compose{}.iterations),
                  "of each cell that cross the links")},
       {"cell_s", described(with_default({{"type", "number"}, {"minimum", 0}}, Compose{}.cell_s),
                            "seconds on the clock: no more iterations than fit, to judge by the "
                            "first four, which there always are; 0: all")},
       {"exchange",
        described(with_default(one_of({"here", "profile"}), Compose{}.exchange),
                  "whether methods encode and decode here, sharing this CPU, or sleep for as long "
                  "as pacbench profile --exchanges found that it takes a worker that is alone")}},
      {"profile"});
}

}  // namespace pacbench
