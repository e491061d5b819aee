#include "analysis/reproduce/measured.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/reproduce/hardware.h"
#include "analysis/reproduce/speeds.h"
#include "base/errors.h"
#include "contract/scenario/program.h"

namespace pacbench::reproduce {
namespace {

bool same_thing(const RunResult& one, const RunResult& other) {
  return has_curve(one.scenario) == has_curve(other.scenario) &&
         !report::first_difference(one, other);
}

std::vector<report::MergedRuns> groups_of(const std::vector<store::NamedResult>& runs) {
  std::vector<report::MergedRuns> groups;
  for (const auto& run : runs) {
    const auto own =
        std::find_if(groups.begin(), groups.end(), [&](const report::MergedRuns& group) {
          return same_thing(group.runs.front().result, run.result);
        });
    (own == groups.end() ? groups.emplace_back() : *own).runs.push_back(run);
  }
  for (auto& group : groups) group = report::merge_runs(std::move(group.runs));
  return groups;
}

std::string computing_words(const report::MergedRuns& group) {
  const auto& scenario = group.result.scenario;
  if (is_learn(group.result)) return "";
  if (group.result.mode == Mode::kCompose) {
    const auto& profile = scenario.at("compose").at("profile");
    auto words = fmt::format("{}, {}", profile.at("hardware").get<std::string>(),
                             profile.at("source").get<std::string>());
    if (!profile.contains("assumption")) return words;
    const auto& assumption = profile.at("assumption");
    return words + fmt::format(" ({:g} TFLOP/s × {:g})", assumption.at("peak_tflops").get<double>(),
                               assumption.at("utilisation").get<double>());
  }
  const auto manifest = manifest_beside(group.runs.front());
  auto host = host_words(manifest);
  if (scenario.value("device", "cpu") != "cuda") return host;
  const auto gpus = gpu_words(manifest);
  return fmt::format("{}{}, beside {}", gpus.empty() ? "unknown GPUs" : gpus,
                     scenario.value("share_gpus", false) ? ", shared" : "", host);
}

/// The link profile of that name; none in mode learn.
Json link_profile(const Json& scenario, const std::string& name) {
  if (!scenario.contains("network")) return Json::object();
  for (const auto& link : scenario.at("network").at("links")) {
    if (link.at("name") == name) return link;
  }
  return Json::object();
}

std::string topology_of(const Json& scenario, const Json& link) {
  if (link.contains("topology")) return link.at("topology");
  return scenario.contains("network") ? scenario.at("network").value("topology", "star") : "";
}

std::string start_of(const Json& scenario) {
  return has_curve(scenario) ? scenario.at("workload").at("initial").at("kind") : "";
}

MeasuredLink measured_link(const report::MergedRuns& group, const report::ReportSection& section,
                           const report::LinkReport& link, const std::string& computing) {
  const auto& scenario = group.result.scenario;
  const auto profile = link_profile(scenario, link.link);
  MeasuredLink measured;
  measured.setting = {scenario.at("workload").at("model").at("name"),
                      scenario.at("workload").at("dataset").at("name"),
                      link.rate_mbit,
                      topology_of(scenario, profile),
                      section.mode,
                      computing,
                      start_of(scenario)};
  measured.section = &section;
  measured.link = &link;
  measured.result = &group.result;
  measured.has_curve = has_curve(scenario);
  measured.profile = profile;
  return measured;
}

/// A number of each done cell of a method over one link, by seed. Cells without this number are
/// left out.
template <typename Number>
report::TimesOfSeeds done_of(const MeasuredLink& of, const std::string& label,
                             const Number& number) {
  report::TimesOfSeeds values;
  for (const auto& cell : of.result->cells) {
    if (cell.label != label || cell.link != of.link->link) continue;
    const std::optional<double> value = number(cell);
    if (value && cell.status == CellStatus::kDone) values[cell.seed] = value;
  }
  return values;
}

/// Returns the runs. Throws ConfigError for a run of the user's own programs alone, as claims name
/// models, and for a simulated run, of which no link and no host can be judged.
const std::vector<store::NamedResult>& checked(const std::vector<store::NamedResult>& runs) {
  for (const auto& run : runs) {
    if (is_program_alone(run.result.scenario)) {
      throw ConfigError{run.path,
                        {{"/scenario/workload",
                          "found a program of the user's own, expected a model and a data set, "
                          "which claims are about"}}};
    }
    if (run.result.mode == Mode::kSimulate) {
      throw ConfigError{run.path,
                        {{"/mode",
                          "found simulate, expected emulate, compose or learn: a paper's numbers "
                          "are compared with what was measured"}}};
    }
  }
  return runs;
}

}  // namespace

const Json& MeasuredLink::method(const std::string& label) const {
  const auto& methods = result->scenario.at("methods");
  return *std::find_if(methods.begin(), methods.end(),
                       [&](const Json& method) { return method.at("label") == label; });
}

report::TimesOfSeeds MeasuredLink::of_seeds(const std::string& label,
                                            double CellResult::*number) const {
  return done_of(*this, label, [&](const CellResult& cell) { return std::optional{cell.*number}; });
}

report::TimesOfSeeds MeasuredLink::of_seeds(const std::string& label,
                                            std::optional<double> CellResult::*number) const {
  return done_of(*this, label, [&](const CellResult& cell) { return cell.*number; });
}

report::TimesOfSeeds MeasuredLink::of_seeds(const std::string& label,
                                            double (*number)(const CellResult&)) const {
  return done_of(*this, label, [&](const CellResult& cell) { return std::optional{number(cell)}; });
}

Measurements::Measurements(const std::vector<store::NamedResult>& runs)
    : groups_{groups_of(checked(runs))}, report_{report::build_report(groups_)} {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto computing = computing_words(groups_[i]);
    for (const auto& link : report_.sections[i].links) {
      links_.push_back(measured_link(groups_[i], report_.sections[i], link, computing));
    }
  }
  pair_speeds(links_);
}

}  // namespace pacbench::reproduce
