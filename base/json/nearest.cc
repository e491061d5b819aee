#include "base/json/nearest.h"

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

}  // namespace pacbench
