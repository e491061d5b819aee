#include "harness/plan/one_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "base/errors.h"

namespace pacbench::plan {
namespace {

constexpr double kCrossings = 4;  // of links, by a packet and its answer

double read(const char* option, const std::string& text, double (*unit)(const std::string&)) {
  try {
    return unit(text);
  } catch (const std::invalid_argument& error) {
    throw ConfigError{option, "", error.what()};
  }
}

/// A text that may be part of a folder's name (base/json/folder_name.h).
std::string as_name(std::string text) {
  for (auto& each : text) {
    if (each == '/' || each == ',' || std::iscntrl(static_cast<unsigned char>(each)) != 0)
      each = '_';
  }
  text.erase(0, text.find_first_not_of("-.=+@ "));
  constexpr std::size_t kMost = 60;
  return text.substr(0, kMost);
}

/// The label of a row: "hook-none" for --hook none, the program's name for nothing.
std::string label_of(const std::vector<std::string>& words, const std::string& program) {
  std::vector<std::string> parts;
  for (const auto& word : words) parts.push_back(as_name(word));
  const auto label = as_name(fmt::format("{}", fmt::join(parts, "-")));
  return label.empty() ? program : label;
}

Json environment_of(const OneLine& line) {
  Json variables = Json::object();
  for (const auto& word : line.environment) {
    const auto name = word.substr(0, word.find('='));
    const bool has_value = name.size() < word.size();
    const auto* here = std::getenv(name.c_str());
    if (!has_value && here == nullptr) {
      throw ConfigError{"--env", "",
                        fmt::format("found {}, which is not set here; expected "
                                    "NAME=value, or the name of a variable that is",
                                    name)};
    }
    variables[name] = has_value ? word.substr(name.size() + 1) : std::string{here};
  }
  return variables;
}

/// A number and what stands behind it.
struct Quantity {
  double number = 0;
  std::string unit;
};

[[noreturn]] void refuse(const std::string& text, const char* expected) {
  throw std::invalid_argument{fmt::format("found \"{}\", expected {}", text, expected)};
}

Quantity quantity(const std::string& text, const char* expected) {
  Quantity found;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found.number);
  if (error != std::errc{} || !std::isfinite(found.number) || found.number < 0)
    refuse(text, expected);
  found.unit.assign(end, text.data() + text.size());
  std::erase_if(found.unit, [](unsigned char each) { return std::isspace(each) != 0; });
  return found;
}

/// Cuts one of `ends` off a text; false where it has none of them.
bool cut(std::string& text, std::initializer_list<const char*> ends) {
  for (const std::string end : ends) {
    if (!text.ends_with(end)) continue;
    text.resize(text.size() - end.size());
    return true;
  }
  return false;
}

}  // namespace

double rate_mbit(const std::string& text) {
  constexpr const char* kExpected =
      "a rate with its unit, such as 100mbit, 1.5Gbit/s, 500kbps or 12.5MB/s";
  auto [number, unit] = quantity(text, kExpected);
  const double bits = cut(unit, {"B/s", "Bps"}) ? 8 : 1;
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  if (bits == 1 && !cut(unit, {"bit/s", "bits/s", "bps", "b/s", "bit"})) {
    refuse(text, kExpected);
  }
  constexpr std::array<std::pair<const char*, double>, 5> kMbits{
      {{"", 1e-6}, {"k", 1e-3}, {"m", 1}, {"g", 1e3}, {"t", 1e6}}};
  for (const auto& [prefix, mbit] : kMbits) {
    if (unit == prefix) return number * bits * mbit;
  }
  refuse(text, kExpected);
}

double time_ms(const std::string& text) {
  constexpr const char* kExpected = "a time with its unit, such as 20ms, 0.2s or 150us";
  const auto [number, unit] = quantity(text, kExpected);
  if (unit == "ms") return number;
  if (unit == "s") return 1e3 * number;
  if (unit == "us" || unit == "µs") return 1e-3 * number;
  refuse(text, kExpected);
}

double share_of_percent(const std::string& text) {
  constexpr const char* kExpected = "a share in percent below 100, such as 0.1%";
  const auto [number, unit] = quantity(text, kExpected);
  if (unit != "%" || number >= 100) refuse(text, kExpected);
  return 1e-2 * number;
}

std::string words_of(const OneLine& line) {
  std::vector<std::string> links;
  const auto all = links_of(line);
  for (const auto& link : all) {
    std::vector<std::string> parts;
    if (!line.links.is_null()) parts.push_back(link.value("name", ""));
    if (link.contains("rate_mbit")) {
      parts.push_back(fmt::format("{:g} Mbit/s each way", link.at("rate_mbit").get<double>()));
    }
    if (link.contains("delay_ms")) {
      parts.push_back(
          fmt::format("a round trip of {:g} ms", kCrossings * link.at("delay_ms").get<double>()));
    }
    if (link.contains("loss")) {
      const auto kept = 1 - link.at("loss").get<double>();
      parts.push_back(fmt::format("{:.3g} % lost", 100 * (1 - kept * kept)));
    }
    links.push_back(fmt::format("{}", fmt::join(parts, ", ")));
  }
  return fmt::format("{} workers, {}", line.workers, fmt::join(links, "; "));
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char each = text[at];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(each)) != 0) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (each == quote) {
      quote = 0;
    } else if (quote == 0 && (each == '"' || each == '\'')) {
      quote = each;
    } else if (each == '\\' && quote != '\'' && at + 1 < text.size()) {
      words.back() += text[++at];
    } else {
      words.back() += each;
    }
  }
  if (quote != 0) throw ConfigError{text, "", fmt::format("a {} does not end", quote)};
  return words;
}

std::string program_name(const std::vector<std::string>& command) {
  const auto stem = [](const std::string& word) {
    return as_name(std::filesystem::path{word}.stem().string());
  };
  const auto is_python = stem(command.front()).starts_with("python");
  for (std::size_t at = 1; is_python && at < command.size(); ++at) {
    const auto& word = command[at];
    if (word == "-m" && at + 1 < command.size()) return as_name(command[at + 1]);
    if (word == "-c") return "python";
    const bool takes_a_value = word == "-W" || word == "-X";
    if (takes_a_value) ++at;
    if (!word.starts_with('-')) return stem(word);
  }
  return stem(command.front());
}

Json links_of(const OneLine& line) {
  if (!line.links.is_null()) return line.links;
  Json link{{"name", as_name(line.rate)}, {"rate_mbit", read("--rate", line.rate, rate_mbit)}};
  if (!line.rtt.empty()) link["delay_ms"] = read("--rtt", line.rtt, time_ms) / kCrossings;
  if (!line.loss.empty()) {
    link["loss"] = 1 - std::sqrt(1 - read("--loss", line.loss, share_of_percent));
  }
  return Json::array({link});
}

Json scenario_of(const OneLine& line) {
  const auto program = program_name(line.command);
  Json scenario{{"version", 1},
                {"name", program},
                {"workers", line.workers},
                {"network", {{"links", links_of(line)}}},
                {"workload", {{"command", line.command}, {"folder", line.folder}}},
                {"methods", Json::array()},
                {"seeds", Json::array()}};
  const std::vector<std::string> nothing{""};
  for (const auto& arguments : line.vary.empty() ? nothing : line.vary) {
    const auto words = split_words(arguments);
    scenario["methods"].push_back(
        {{"name", "program"}, {"label", label_of(words, program)}, {"arguments", words}});
    if (!line.environment.empty()) scenario["methods"].back()["environment"] = environment_of(line);
  }
  for (int seed = 1; seed <= line.seeds; ++seed) scenario["seeds"].push_back(seed);
  return scenario;
}

}  // namespace pacbench::plan
