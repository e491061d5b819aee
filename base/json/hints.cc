#include "base/json/hints.h"

#include <fmt/format.h>

#include <algorithm>

namespace pacbench {
namespace {

/// Levenshtein's distance, computed row by row.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::vector<std::string_view> parts_of(std::string_view word) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = word.find('_');
    parts.push_back(word.substr(0, end));
    if (end == std::string_view::npos) return parts;
    word.remove_prefix(end + 1);
  }
}

/// Whether each part of `word` may be a mistyped part of `known`, and the other way round.
bool parts_are_near(std::string_view word, std::string_view known) {
  const auto all_near = [](const auto& own, const auto& others) {
    return std::all_of(own.begin(), own.end(), [&](std::string_view part) {
      return std::any_of(others.begin(), others.end(), [&](std::string_view other) {
        return edit_distance(part, other) <= 1 + part.size() / 4;
      });
    });
  };
  const auto own = parts_of(word), others = parts_of(known);
  return all_near(own, others) && all_near(others, own);
}

/// How far a known word is from the typed one; absent where it cannot be meant.
std::optional<std::size_t> distance_of(std::string_view word, std::string_view known) {
  constexpr std::size_t kAlwaysNear = 2;
  const auto distance = edit_distance(word, known);
  const bool has_parts =
      word.find('_') != std::string_view::npos || known.find('_') != std::string_view::npos;
  if (distance <= kAlwaysNear || !has_parts) return distance;
  return parts_are_near(word, known) ? std::optional{distance} : std::nullopt;
}

struct Meaning {
  std::string_view key;
  const char* written_as;  ///< the key that pacbench has
  const char* words;
};

constexpr const char* kDelay =
    "delay_ms is the delay of one direction of each worker's link, and a round trip between two "
    "workers crosses four: write a quarter of it";
constexpr const char* kRate = "write rate_mbit, in 10^6 bit/s, or up_mbit and down_mbit";
constexpr const char* kBoth =
    "loss, delay_ms, jitter_ms and reorder hold for both directions of a link; of one worker, give "
    "them in overrides";
constexpr const char* kOrder =
    "packets keep their order unless jitter_ms or reorder is above 0: leave both out";
constexpr const char* kWorkers = "write workers, the number of ranks";
constexpr const char* kOneWorker =
    "an override names one worker: write one for each worker of the group, with its rank as worker";
constexpr const char* kOneRate =
    "a link has one rate for all workers: write one link for each rate, and the rates of single "
    "workers in overrides";
constexpr const char* kPair =
    "a worker's link leads to a switch, so its rate holds towards all others: give a worker's own "
    "rate in overrides, and a rate between groups of workers by topology groups or chain3";
constexpr const char* kIterations = "write max_iterations, the number of steps";

constexpr Meaning kMeanings[] = {
    {"rtt_ms", "delay_ms", kDelay},
    {"rtt", "delay_ms", kDelay},
    {"ping_ms", "delay_ms", kDelay},
    {"latency_ms", "delay_ms",
     "write delay_ms, the delay of one direction of each worker's link: half of the time from one "
     "worker to another"},
    {"rate", "rate_mbit", kRate},
    {"bandwidth", "rate_mbit", kRate},
    {"bandwidth_mbit", "rate_mbit", kRate},
    {"rates_mbit", "rate_mbit",
     "a link has one rate_mbit: write one link for each rate, or --set /network/links for a sweep"},
    {"up_loss", "loss", kBoth},
    {"down_loss", "loss", kBoth},
    {"up_delay_ms", "delay_ms", kBoth},
    {"down_delay_ms", "delay_ms", kBoth},
    {"keep_order", "reorder", kOrder},
    {"group", "worker", kOneWorker},
    {"workers", "worker", kOneWorker},
    {"pair", "worker", kPair},
    {"from", "worker", kPair},
    {"to", "worker", kPair},
    {"pairs", "overrides", kPair},
    {"matrix", "overrides", kPair},
    {"nproc", "workers", kWorkers},
    {"world_size", "workers", kWorkers},
    {"nproc_per_node", "workers", kWorkers},
    {"batch_size", "batch_per_worker", "write batch_per_worker, the samples of one rank in a step"},
    {"steps", "max_iterations", kIterations},
    {"epochs", "max_iterations", kIterations},
};

/// What a value of another type means, by key and type.
constexpr struct {
  std::string_view key;
  Json::value_t type;
  const char* words;
} kValues[] = {
    {"rate_mbit", Json::value_t::array, kOneRate},
    {"up_mbit", Json::value_t::array, kOneRate},
    {"down_mbit", Json::value_t::array, kOneRate},
    {"worker", Json::value_t::array, kOneWorker},
};

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  auto best_distance = 2 + word.size() / 3;
  for (const auto& candidate : known) {
    const auto distance = distance_of(word, candidate);
    if (!distance || *distance >= best_distance) continue;
    best_distance = *distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto best = nearest(word, known);
  return best ? fmt::format("; did you mean \"{}\"?", *best) : "";
}

std::string meaning_of(std::string_view key, const Json& value) {
  for (const auto& meaning : kValues) {
    if (meaning.key == key && meaning.type == value.type())
      return std::string{"; "} + meaning.words;
  }
  return "";
}

std::string meaning_of(std::string_view key, const std::set<std::string>& known) {
  for (const auto& meaning : kMeanings) {
    if (meaning.key == key && known.contains(meaning.written_as)) {
      return std::string{"; "} + meaning.words;
    }
  }
  return "";
}

}  // namespace pacbench
