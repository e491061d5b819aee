#include "harness/reproduce/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "harness/report/verdicts.h"
#include "harness/table.h"

namespace pacbench::reproduce {
namespace {

constexpr const char* kNone = "—";

std::string between(const report::SpeedUpEnds& ends) {
  const auto word = [](const std::optional<double>& end) {
    return end ? significant(*end) : std::string{"DNF"};
  };
  return fmt::format("{}–{}", word(ends.low), word(ends.high));
}

std::string measured_words(const Claim& claim, const Evidence& evidence) {
  if (evidence.value) return value_words(claim, *evidence.value);
  if (evidence.step) {
    return fmt::format("{} × a step{}", significant(*evidence.step),
                       evidence.has_curve ? "" : ", no curve");
  }
  if (evidence.limit) return fmt::format("at most {} ×, not timed", significant(*evidence.limit));
  return kNone;
}

}  // namespace

const char* word_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::kTimeToAccuracy:
      return "time-to-accuracy";
    case Quantity::kThroughput:
      return "throughput";
    case Quantity::kAccuracyLost:
      return "accuracy-lost";
    case Quantity::kRingTraffic:
      return "ring-traffic";
  }
  return "";
}

const char* word_of(Form form) {
  switch (form) {
    case Form::kAt:
      return "at";
    case Form::kUpTo:
      return "up-to";
    case Form::kAtLeast:
      return "at-least";
    case Form::kAtMost:
      return "at-most";
  }
  return "";
}

std::string value_words(const Claim& claim, double value) {
  if (claim.quantity == Quantity::kAccuracyLost) return fmt::format("{:.2f} points", value);
  if (std::isinf(value)) return "baseline DNF";
  if (value == 0) return "DNF";
  return fmt::format("{} ×", significant(value));
}

std::string paper_words(const Claim& claim) {
  const auto* unit = claim.quantity == Quantity::kAccuracyLost ? "points" : "×";
  const auto* form = claim.form == Form::kUpTo      ? "up to "
                     : claim.form == Form::kAtLeast ? "at least "
                     : claim.form == Form::kAtMost  ? "at most "
                                                    : "";
  return fmt::format("{}{:g} {}", form, claim.value, unit);
}

std::string ours_words(const Claim& claim, const Evidence& evidence) {
  const auto words = measured_words(claim, evidence);
  return evidence.not_counted.empty() || words == kNone ? words : fmt::format("({})", words);
}

std::string certainty_words(const Evidence& evidence) {
  std::vector<std::string> parts;
  if (evidence.interval) {
    parts.push_back((evidence.is_of_steps ? "95 % of steps " : "95 % ") +
                    between(*evidence.interval));
  } else if (evidence.range) {
    parts.push_back("range " + between(*evidence.range));
  }
  if (evidence.of_runs) parts.push_back("runs " + between(*evidence.of_runs));
  return parts.empty() ? kNone : fmt::format("{}", fmt::join(parts, "; "));
}

std::string speeds_words(const Evidence& evidence) {
  if (evidence.speeds.empty()) return kNone;
  auto all = evidence.speeds;
  if (const auto own = evidence.value ? evidence.value : evidence.step) all.push_back(*own);
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  return between({*low, *high});
}

std::string setting_words(const Setting& setting) {
  std::vector<std::string> parts{setting.network, setting.dataset};
  if (setting.rate_mbit > 0) parts.push_back(fmt::format("{:g} Mbit/s", setting.rate_mbit));
  if (!setting.topology.empty()) parts.push_back(setting.topology);
  if (!setting.start.empty()) parts.push_back(start_words(setting));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string start_words(const Setting& setting) {
  if (setting.start == "pretrain") return "pre-trained";
  if (setting.start == "random") return "from random weights";
  return setting.start.empty() ? "" : "from weights of a file";
}

std::vector<std::string> told_apart(const std::vector<std::vector<std::string>>& names) {
  std::vector<std::string> chosen;
  for (const auto& own : names) {
    std::size_t length = 0;
    const auto is_shared = [&] {
      return std::count_if(names.begin(), names.end(),
                           [&](const auto& other) { return other[length] == own[length]; }) > 1;
    };
    while (length + 1 < own.size() && is_shared()) ++length;
    chosen.push_back(own[length]);
  }
  return chosen;
}

std::string seconds_words(double seconds) {
  return seconds < 1 ? fmt::format("{} ms", significant(1e3 * seconds))
                     : fmt::format("{} s", significant(seconds));
}

std::string measured_words(std::string time, const std::optional<Estimate>& speed_up, bool suspect,
                           bool cpu_bound) {
  if (speed_up) time += fmt::format(" × {:.2f}", speed_up->value);
  if (suspect) time += " †";
  if (cpu_bound) time += " ‡";
  return time;
}

std::string trust_words(bool suspect, bool cpu_bound) {
  if (suspect && cpu_bound) return "suspect, cpu-bound";
  return suspect ? report::link_verdict_word(suspect) : report::host_verdict_word(cpu_bound);
}

}  // namespace pacbench::reproduce
