#include "contract/scenario/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/json/read_keys.h"
#include "base/sha256.h"
#include "contract/catalogue/choice_json.h"
#include "contract/scenario/scenario.h"

namespace pacbench {
namespace {

namespace fs = std::filesystem;

/// Compares a sample's SHA-256 with that in its profile. Throws ConfigError naming the file.
void check_sample(const std::string& path, const Profile& profile) {
  const auto found = sha256(read_file(path));
  if (found == profile.sample.sha256) return;
  throw ConfigError{path,
                    {{"", fmt::format("the sample's SHA-256 is {}, but the profile expects {}: "
                                      "this file belongs to another profile or was changed",
                                      found, profile.sample.sha256)}}};
}

void read_profile_file(ObjectReader& reader, const std::string& source, Compose& compose) {
  const auto name = reader.text("profile");
  if (name.empty()) return;  // reported already
  const auto path = fs::path{source}.parent_path() / name;
  try {
    compose.profile = profile_from_json(path.string(), read_json_file(path.string()));
    compose.sample = fs::absolute(path.parent_path() / compose.profile.sample.file).string();
    check_sample(compose.sample, compose.profile);
  } catch (const ConfigError& error) {
    reader.complain("profile", error.what());
  } catch (const std::system_error& error) {
    reader.complain("profile", fmt::format("{}; pacbench profile makes a profile", error.what()));
  }
}

void read_profile_here(ObjectReader& reader, Compose& compose) {
  try {
    compose.profile = profile_from_json("profile", reader.raw("profile"));
  } catch (const ConfigError& error) {
    reader.complain("profile", error.what());
  }
}

/// Complains when there are fewer iterations than the method takes until its calls repeat. Each
/// exchange of the method must cross the links at least once.
void check_period(const MethodExchanges& exchanges, std::int64_t iterations,
                  const std::string& label, std::vector<Issue>& issues) {
  if (iterations >= exchanges.period()) return;
  const Issue issue{
      "/compose/iterations",
      fmt::format(
          "found {}, expected at least {}: the calls of {} repeat only after that many iterations",
          iterations, exchanges.period(), label)};
  const auto is_this = [&](const Issue& other) { return other.message == issue.message; };
  if (std::none_of(issues.begin(), issues.end(), is_this)) issues.push_back(issue);
}

}  // namespace

Compose read_compose(ObjectReader reader, const std::string& source) {
  Compose compose;
  if (reader.has("profile") && reader.raw("profile").is_object()) {
    read_profile_here(reader, compose);
  } else {
    read_profile_file(reader, source, compose);
  }
  read_keys(reader, compose);
  reader.finish();
  return compose;
}

void check_unused_compose(ObjectReader reader) {
  const auto& profile = reader.raw("profile");
  if (!profile.is_string() && !profile.is_object()) {
    reader.complain("profile",
                    fmt::format("found {}, expected the path of a profile, or the profile itself",
                                describe_found(profile)));
  }
  Compose unused;
  read_keys(reader, unused);
  reader.finish();
}

void check_exchanges(const Scenario& scenario, std::vector<Issue>& issues) {
  if (!scenario.compose || !replays_exchanges(*scenario.compose)) return;
  const auto mode = word_of(scenario.mode);
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    const auto& method = scenario.methods[i];
    for (const auto& choice : choices_of(method)) {
      for (const auto& link : scenario.network.links) {
        const auto* found =
            find_exchanges(scenario.compose->profile.exchanges, choice_to_json(choice),
                           scenario.workers, link_facts(link));
        if (found != nullptr) {
          check_period(*found, scenario.compose->iterations, method.label, issues);
          continue;
        }
        const auto options = method.settings.empty() ? "" : " with " + choice.options.dump();
        issues.push_back(
            {fmt::format("/methods/{}", i),
             fmt::format(
                 "found no exchanges of {}{} among {} workers over {} in the profile, but mode {} "
                 "with compose.exchange \"profile\" needs them; this makes a profile that has "
                 "them: pacbench profile SCENARIO --exchanges --exchange-workers {} -o PROFILE",
                 method.label, options, scenario.workers, link.name, mode, scenario.workers)});
      }
    }
  }
}

std::int64_t iterations_that_fit(const Compose& compose, double first_s) {
  if (compose.cell_s == 0) return compose.iterations;
  const auto fitting = compose.cell_s * static_cast<double>(kLeastComposed) / first_s;
  return std::clamp(static_cast<std::int64_t>(fitting), kLeastComposed, compose.iterations);
}

}  // namespace pacbench
