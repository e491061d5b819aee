#include "contract/scenario/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>
#include <stdexcept>

#include "base/json/read_keys.h"

namespace pacbench {

struct GatesFile {
  std::vector<Gate> gates;
};

template <>
struct JsonFields<GatesFile> {
  static constexpr std::tuple kAll{required("gates", &GatesFile::gates, Bounds{}.with_entries(1),
                                            "bounds that a run must keep")};
};

namespace {

constexpr const char* kPercentOfAllReduce = " % of all-reduce";
/// A target as text: "97 %" or "99 % of all-reduce".
constexpr const char* kTargetAsText = "^([0-9]+(\\.[0-9]+)?) ?%( of all-reduce)?$";

/// The target of a gate: the key in the gate, the key of the scenario's list, and the value.
struct NamedTarget {
  const char* key;
  const char* listed_as;
  double value;
};

std::optional<NamedTarget> named_target(const Gate& gate) {
  if (gate.target) {
    return NamedTarget{"target", gate.target->is_of_all_reduce ? kOfAllReduce : kAccuracy,
                       gate.target->value};
  }
  if (gate.target_loss) return NamedTarget{"target_loss", kLoss, *gate.target_loss};
  if (gate.of_all_reduce) return NamedTarget{kOfAllReduce, kOfAllReduce, *gate.of_all_reduce};
  return std::nullopt;
}

std::vector<double> listed_targets(const Json& scenario, const char* key) {
  return scenario.at("targets").value(key, std::vector<double>{});
}

/// The target of the scenario that a gate means: the nearest one, within 0.0001, since tables round
/// targets that follow from all-reduce's accuracy. Absent where there is none.
std::optional<double> meant_target(const NamedTarget& named, const Json& scenario) {
  constexpr double kNear = 1e-4;
  std::optional<double> nearest;
  for (const double value : listed_targets(scenario, named.listed_as)) {
    const double apart = std::abs(value - named.value);
    if (apart <= kNear && (!nearest || apart < std::abs(*nearest - named.value))) nearest = value;
  }
  return nearest;
}

std::string target_words(const Gate& gate) {
  const auto named = named_target(gate);
  if (!named) return "";
  if (named->listed_as == kOfAllReduce) {
    return fmt::format(" to {:g}{}", 100 * named->value, kPercentOfAllReduce);
  }
  return " to " + words_of(Target{named->listed_as, named->value});
}

std::optional<GateTarget> target_in(const std::string& text) {
  const std::regex form{kTargetAsText};
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return std::nullopt;
  const auto digits = parts[1].str();
  double percent = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  if (percent <= 0 || percent > 100) return std::nullopt;
  GateTarget target{percent / 100};
  target.is_of_all_reduce = parts[3].matched;
  return target;
}

}  // namespace

GateTarget GateTarget::read(ObjectReader& reader, const char* key) {
  const Json& written = reader.raw(key);
  if (!written.is_string()) return reader.number(key, Range::ratio());
  auto target = target_in(written.get<std::string>());
  if (!target) {
    reader.complain(key, fmt::format("found {}, expected an accuracy such as 0.97 or \"97 %\", or "
                                     "\"99 % of all-reduce\"",
                                     written.dump()));
  }
  return target.value_or(GateTarget{});
}

Json GateTarget::schema() {
  return {{"anyOf",
           {{{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1}},
            {{"type", "string"}, {"pattern", kTargetAsText}}}}};
}

void to_json(Json& json, const GateTarget& target) {
  if (target.is_of_all_reduce) {
    json = fmt::format("{:.10g}{}", 100 * target.value, kPercentOfAllReduce);
  } else {
    json = target.value;
  }
}

void from_json(const Json& json, GateTarget& target) {
  if (!json.is_string()) {
    target = json.get<double>();
    return;
  }
  const auto read = target_in(json.get<std::string>());
  if (!read) throw std::invalid_argument("no target of a gate: " + json.dump());
  target = *read;
}

std::vector<std::string> link_names(const Json& scenario) {
  if (!scenario.contains("network")) return {"none"};
  std::vector<std::string> names;
  for (const auto& link : scenario["network"].at("links")) names.push_back(link.at("name"));
  return names;
}

std::string words_of(const Gate& gate) {
  return fmt::format("{}{} of {}{}", word_of(gate.metric), target_words(gate), gate.method,
                     gate.over ? " over " + *gate.over : "");
}

std::vector<Issue> gate_issues(const std::vector<Gate>& gates, const Json& scenario) {
  std::vector<std::string> labels;
  for (const auto& method : scenario.at("methods")) labels.push_back(method.at("label"));
  const auto links = link_names(scenario);
  std::vector<Issue> issues;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const auto expect = [&](const char* key, const std::string& found,
                            const std::vector<std::string>& known) {
      if (std::find(known.begin(), known.end(), found) != known.end()) return;
      issues.push_back({fmt::format("/gates/{}/{}", i, key),
                        fmt::format("found \"{}\", expected one of the scenario's: {}", found,
                                    fmt::join(known, ", "))});
    };
    expect("method", gates[i].method, labels);
    if (gates[i].over) expect("over", *gates[i].over, labels);
    if (gates[i].link) expect("link", *gates[i].link, links);
    if (const auto named = named_target(gates[i])) {
      std::vector<std::string> known;
      for (const double value : listed_targets(scenario, named->listed_as)) {
        known.push_back(fmt::format("{:g}", value));
      }
      if (!meant_target(*named, scenario)) {
        expect(named->key, fmt::format("{:g}", named->value), known);
      }
    }
  }
  return issues;
}

std::optional<Target> target_of(const Gate& gate, const Json& scenario) {
  const auto named = named_target(gate);
  if (!named) return std::nullopt;
  const auto meant = meant_target(*named, scenario);
  if (named->listed_as != kOfAllReduce) {
    return Target{named->listed_as, meant.value_or(named->value)};
  }
  // Both lists are in the same order: the share at a place has set the accuracy at the same place.
  const auto shares = listed_targets(scenario, kOfAllReduce);
  const auto accuracies = listed_targets(scenario, kAccuracy);
  const auto place = std::find(shares.begin(), shares.end(), meant.value_or(-1)) - shares.begin();
  if (static_cast<std::size_t>(place) >= accuracies.size()) return std::nullopt;
  return Target{kAccuracy, accuracies[static_cast<std::size_t>(place)]};
}

std::vector<Gate> read_gates_file(const std::string& path) {
  const auto document = read_json_file(path);
  std::vector<Issue> issues;
  auto file = read_object<GatesFile>(ObjectReader{document, "", issues});
  if (!issues.empty()) throw ConfigError{path, issues};
  return file.gates;
}

}  // namespace pacbench
