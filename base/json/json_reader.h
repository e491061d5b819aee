#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/json/json.h"
#include "base/words.h"

namespace pacbench {

/// Bounds of a number, as JSON Schema words them.
struct Range {
  std::optional<double> minimum;
  std::optional<double> maximum;
  bool exclusive_minimum = false;

  bool contains(double value) const;
  std::string describe() const;  ///< "a number in (0, 1]"

  static constexpr Range at_least(double low) { return {low, std::nullopt, false}; }
  static constexpr Range positive() { return {0.0, std::nullopt, true}; }
  static constexpr Range ratio() { return {0.0, 1.0, true}; }  ///< (0, 1]
};

/// How deep arrays and objects of a document may be nested. Copying, comparing and writing a
/// document are recursive, so deeper nesting could exhaust the stack.
inline constexpr int kMaxJsonDepth = 64;

/// Parses JSON text; all of pacbench parses with this or parse_json_line(). Throws ConfigError when
/// the text is malformed or deeper than kMaxJsonDepth, with line and column. Also throws it when an
/// object holds the same key twice, or a number is beyond double precision's range.
Json parse_json(const std::string& source, std::string_view text);

/// Parses one line among many, quickly. The result is discarded (see nlohmann's is_discarded) when
/// the line is malformed or too deep. Of a key that appears twice, the result has the last value.
Json parse_json_line(std::string_view line);

/// Reads and parses a file. Throws std::system_error when it cannot be read, and ConfigError as
/// parse_json() does.
Json read_json_file(const std::string& path);

/// Reads one JSON object strictly. It adds every problem to a list that all readers of the document
/// share; a key that nobody asked for is a problem too. After a problem, reading goes on with a
/// default value. Functions whose names end in _or return `fallback` for a missing key.
class ObjectReader {
 public:
  ObjectReader(const Json& node, std::string pointer, std::vector<Issue>& issues);

  /// Whether the key is there. Asking makes the key known: finish() accepts it, and may suggest it.
  bool has(const std::string& key);
  const std::string& pointer() const { return pointer_; }
  /// How many problems all readers of the document have noted so far.
  std::size_t issues() const { return issues_->size(); }

  double number(const std::string& key, const Range& range);
  double number_or(const std::string& key, double fallback, const Range& range);
  std::int64_t integer(const std::string& key, const Range& range);
  std::int64_t integer_or(const std::string& key, std::int64_t fallback, const Range& range);
  bool boolean_or(const std::string& key, bool fallback);
  std::string text(const std::string& key);
  std::string text_or(const std::string& key, std::string fallback);
  /// A string that may be empty.
  std::string string(const std::string& key);
  std::string string_or(const std::string& key, std::string fallback);
  std::string choice(const std::string& key, const std::vector<std::string>& allowed);
  std::string choice_or(const std::string& key, std::string fallback,
                        const std::vector<std::string>& allowed);
  std::vector<double> numbers(const std::string& key, const Range& range);
  std::vector<std::int64_t> integers(const std::string& key, const Range& range);

  std::vector<std::string> texts(const std::string& key);

  /// Returns a reader of a nested object. A missing or wrong one is noted, and an object without
  /// keys is read in its place.
  ObjectReader object(const std::string& key);
  std::vector<ObjectReader> objects(const std::string& key);

  /// The value as it is, marked as read; null when absent.
  const Json& raw(const std::string& key);

  /// Whether the value of the key is a list without elements; marks the key as read.
  bool is_empty_list(const std::string& key);

  void complain(const std::string& key, std::string message);
  /// Complains of a value deeper inside the object, such as "samples/3/file".
  void complain_at(const std::string& relative_pointer, std::string message);

  /// Accepts all remaining keys, so that finish() does not report them. Call this when another
  /// reader judges these keys, or when a reported error makes them impossible to judge.
  void ignore_rest();

  /// Reports every key that was not asked for, with the nearest known key that could have been
  /// meant; where none is near, with all known keys.
  void finish();

 private:
  const Json* find(const std::string& key, bool required, const char* expected);
  /// The value of a key where it `fits`; otherwise null, after a complaint of a value that does
  /// not.
  const Json* fitting(const std::string& key, const std::string& expected,
                      const std::function<bool(const Json&)>& fits);
  /// The value of a required key where it is an array; otherwise null, after a complaint.
  const Json* list(const std::string& key, const char* expected);

  const Json* node_;
  std::string pointer_;
  std::vector<Issue>* issues_;
  std::set<std::string> known_;
};

/// Reads one of the words of an enumeration (base/words.h).
template <typename Enum>
Enum read_word(ObjectReader& reader, const std::string& key) {
  const auto word = reader.choice(key, all_words<Enum>());
  return word.empty() ? Enum{} : from_word<Enum>(word);
}
template <typename Enum>
Enum read_word_or(ObjectReader& reader, const std::string& key, Enum fallback) {
  return from_word<Enum>(reader.choice_or(key, word_of(fallback), all_words<Enum>()));
}

/// Returns the JSON text of a document that may hold text from outside pacbench. Bytes that are not
/// UTF-8 become U+FFFD, where dump() itself would throw. `indent` is dump()'s argument.
std::string json_text(const Json& document, int indent = -1);

/// A value for an error message: `"abc" (a string)`; long values are cut.
std::string describe_found(const Json& value);

/// Writes a value of an enumeration that has Words (base/words.h) as the value's word. Reading an
/// unknown word throws std::invalid_argument.
template <HasWords Enum>
struct JsonSerializer<Enum> {
  static void to_json(Json& json, const Enum& value) { json = word_of(value); }
  static void from_json(const Json& json, Enum& value) {
    value = from_word<Enum>(json.get_ref<const std::string&>());
  }
};

}  // namespace pacbench
