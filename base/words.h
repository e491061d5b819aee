#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pacbench {

/// The words that stand for an enumeration's values in documents. A specialisation has `kAll`, an
/// array with the word of each value, in the order of the values.
template <typename Enum>
struct Words;

template <typename Enum>
concept HasWords = requires {
  Words<Enum>::kAll;
};

template <typename Enum>
std::string word_of(Enum value) {
  return Words<Enum>::kAll.at(static_cast<std::size_t>(value));
}

template <typename Enum>
std::vector<std::string> all_words() {
  return {Words<Enum>::kAll.begin(), Words<Enum>::kAll.end()};
}

/// The inverse of word_of(). Throws std::invalid_argument naming the word when no value has it.
template <typename Enum>
Enum from_word(std::string_view word) {
  const auto& all = Words<Enum>::kAll;
  const auto found = std::find(all.begin(), all.end(), word);
  if (found == all.end()) {
    throw std::invalid_argument{"unknown word \"" + std::string{word} + "\""};
  }
  return static_cast<Enum>(found - all.begin());
}

}  // namespace pacbench
