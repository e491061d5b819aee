#include "base/json/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/json/hints.h"

namespace pacbench {
namespace {

const Json kEmptyObject = Json::object();
const Json kNull;

std::string escape_pointer(std::string_view key) {
  std::string escaped;
  for (const char c : key) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string line_and_column(std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto newline = before.rfind('\n');
  const auto column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

/// The offset of the first bracket that is nested too deeply; npos when there is none. The text
/// need not be valid JSON: malformed text may be called too deep as well.
std::size_t too_deep_at(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      if (++depth > kMaxJsonDepth) return i;
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return std::string_view::npos;
}

/// Whether a double holds exactly the integer that was written: beyond 2^53 doubles skip integers.
bool is_exact_integer(double value) {
  return value == std::floor(value) && std::abs(value) <= 9007199254740992.0;
}

bool is_text(const Json& value) {
  return value.is_string() && !value.get_ref<const std::string&>().empty();
}

/// Whether the byte is the second or a later one of a character in UTF-8.
bool continues_character(char byte) { return (byte & 0xC0) == 0x80; }

}  // namespace

std::int64_t integer_from_json(const Json& node, std::int64_t least, std::int64_t most) {
  // A parser keeps an integer that is not negative as an unsigned one; one that code has written
  // may be signed all the same.
  if (const auto* number = node.get_ptr<const Json::number_unsigned_t*>()) {
    if (*number <= static_cast<std::uint64_t>(most)) return static_cast<std::int64_t>(*number);
  } else if (const auto* signed_number = node.get_ptr<const Json::number_integer_t*>()) {
    if (*signed_number >= least && *signed_number <= most) return *signed_number;
  }
  throw Json::type_error::create(
      302, fmt::format("found {}, expected an integer from {} to {}", json_text(node), least, most),
      &node);
}

bool Range::contains(double value) const {
  if (!std::isfinite(value)) return false;
  if (minimum && (exclusive_minimum ? value <= *minimum : value < *minimum)) return false;
  return !maximum || value <= *maximum;
}

std::string Range::describe() const {
  if (minimum && maximum) {
    return fmt::format("a number in {}{}, {}]", exclusive_minimum ? '(' : '[', *minimum, *maximum);
  }
  if (minimum) {
    return fmt::format("a number {} {}", exclusive_minimum ? "above" : "of at least", *minimum);
  }
  return maximum ? fmt::format("a number of at most {}", *maximum) : "a number";
}

std::string json_text(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string describe_found(const Json& value) {
  auto text = json_text(value);
  if (text.size() > 60) {
    std::size_t end = 57;
    while (continues_character(text[end])) --end;
    text = text.substr(0, end) + "...";
  }
  const std::string type = value.type_name();
  const char* article = type == "object" || type == "array" ? "an" : "a";
  return value.is_null() ? "null" : fmt::format("{} ({} {})", text, article, type);
}

Json parse_json(const std::string& source, std::string_view text) {
  if (const auto at = too_deep_at(text); at != std::string_view::npos) {
    throw ConfigError{source,
                      {{"", fmt::format("found arrays and objects nested more than {0} deep at "
                                        "{1}, expected at most {0} levels",
                                        kMaxJsonDepth, line_and_column(text, at + 1))}}};
  }
  std::vector<std::set<std::string>> keys_of_open_objects;
  std::vector<Issue> issues;
  const Json::parser_callback_t reject_duplicates = [&](int, Json::parse_event_t event,
                                                        Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_of_open_objects.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_of_open_objects.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys_of_open_objects.back().insert(parsed.get<std::string>()).second) {
      issues.push_back({"", fmt::format("found the key {} twice in one object, expected it once",
                                        parsed.dump())});
    }
    return true;
  };
  try {
    auto document = Json::parse(text, reject_duplicates);
    if (!issues.empty()) throw ConfigError{source, issues};
    return document;
  } catch (const Json::parse_error& error) {
    const std::string what = error.what();
    const auto detail = what.rfind(": ");
    throw ConfigError{source,
                      {{"", fmt::format("not valid JSON at {}{}", line_and_column(text, error.byte),
                                        detail == std::string::npos ? "" : what.substr(detail))}}};
  } catch (const Json::out_of_range& error) {
    const std::string what = error.what();
    const auto number = what.find('\'');
    throw ConfigError{
        source,
        {{"", fmt::format("holds a number beyond the range of double precision: {}",
                          number == std::string::npos ? what : what.substr(number))}}};
  }
}

Json parse_json_line(std::string_view line) {
  if (too_deep_at(line) != std::string_view::npos) return Json(Json::value_t::discarded);
  return Json::parse(line, nullptr, false);
}

Json read_json_file(const std::string& path) { return parse_json(path, read_file(path)); }

ObjectReader::ObjectReader(const Json& node, std::string pointer, std::vector<Issue>& issues)
    : node_{&node}, pointer_{std::move(pointer)}, issues_{&issues} {
  if (!node.is_object()) {
    issues_->push_back(
        {pointer_, fmt::format("found {}, expected an object", describe_found(node))});
    node_ = &kEmptyObject;
  }
}

bool ObjectReader::has(const std::string& key) { return find(key, false, "") != nullptr; }

bool ObjectReader::is_empty_list(const std::string& key) {
  const auto& value = raw(key);
  return value.is_array() && value.empty();
}

void ObjectReader::complain(const std::string& key, std::string message) {
  issues_->push_back(
      {key.empty() ? pointer_ : pointer_ + "/" + escape_pointer(key), std::move(message)});
}

void ObjectReader::complain_at(const std::string& relative_pointer, std::string message) {
  issues_->push_back({pointer_ + "/" + relative_pointer, std::move(message)});
}

const Json* ObjectReader::find(const std::string& key, bool required, const char* expected) {
  known_.insert(key);
  const auto found = node_->find(key);
  if (found != node_->end()) return &*found;
  // An object that was itself wrong or missing has been reported already.
  if (required && node_ != &kEmptyObject) {
    complain(key, fmt::format("missing, expected {}", expected));
  }
  return nullptr;
}

const Json* ObjectReader::fitting(const std::string& key, const std::string& expected,
                                  const std::function<bool(const Json&)>& fits) {
  const auto* value = find(key, false, "");
  if (value == nullptr || fits(*value)) return value;
  complain(key, fmt::format("found {}, expected {}", describe_found(*value), expected));
  return nullptr;
}

const Json* ObjectReader::list(const std::string& key, const char* expected) {
  const auto* value = find(key, true, expected);
  if (value == nullptr || value->is_array()) return value;
  complain(key, fmt::format("found {}, expected {}", describe_found(*value), expected));
  return nullptr;
}

double ObjectReader::number(const std::string& key, const Range& range) {
  find(key, true, range.describe().c_str());
  return number_or(key, range.minimum.value_or(0), range);
}

double ObjectReader::number_or(const std::string& key, double fallback, const Range& range) {
  const auto* value = find(key, false, "");
  if (value == nullptr) return fallback;
  if (!value->is_number() || !range.contains(value->get<double>())) {
    complain(key, fmt::format("found {}, expected {}{}", describe_found(*value), range.describe(),
                              meaning_of(key, *value)));
    return fallback;
  }
  return value->get<double>();
}

std::int64_t ObjectReader::integer(const std::string& key, const Range& range) {
  find(key, true, "an integer");
  return integer_or(key, static_cast<std::int64_t>(range.minimum.value_or(0)), range);
}

std::int64_t ObjectReader::integer_or(const std::string& key, std::int64_t fallback,
                                      const Range& range) {
  const auto* value = find(key, false, "");
  if (value == nullptr) return fallback;
  const bool is_integer = value->is_number_integer();
  const bool is_exact = is_integer && is_exact_integer(value->get<double>());
  if (!is_exact || !range.contains(value->get<double>())) {
    complain(key, fmt::format("found {}, expected {} without a fraction{}{}",
                              describe_found(*value), range.describe(),
                              is_integer && !is_exact ? ", at most 2^53 in magnitude" : "",
                              meaning_of(key, *value)));
    return fallback;
  }
  return value->get<std::int64_t>();
}

bool ObjectReader::boolean_or(const std::string& key, bool fallback) {
  const auto* value =
      fitting(key, "true or false", [](const Json& found) { return found.is_boolean(); });
  return value == nullptr ? fallback : value->get<bool>();
}

std::string ObjectReader::text(const std::string& key) {
  find(key, true, "a string");
  return text_or(key, "");
}

std::string ObjectReader::text_or(const std::string& key, std::string fallback) {
  const auto* value = fitting(key, "a non-empty string", is_text);
  return value == nullptr ? fallback : value->get<std::string>();
}

std::string ObjectReader::string(const std::string& key) {
  find(key, true, "a string");
  return string_or(key, "");
}

std::string ObjectReader::string_or(const std::string& key, std::string fallback) {
  const auto* value = fitting(key, "a string", [](const Json& found) { return found.is_string(); });
  return value == nullptr ? fallback : value->get<std::string>();
}

std::string ObjectReader::choice(const std::string& key, const std::vector<std::string>& allowed) {
  find(key, true, fmt::format("one of {}", fmt::join(allowed, ", ")).c_str());
  return choice_or(key, allowed.empty() ? "" : allowed.front(), allowed);
}

std::string ObjectReader::choice_or(const std::string& key, std::string fallback,
                                    const std::vector<std::string>& allowed) {
  const auto expected = fmt::format("one of {}", fmt::join(allowed, ", "));
  const auto* value = fitting(key, expected, [&](const Json& found) {
    return found.is_string() &&
           std::find(allowed.begin(), allowed.end(), found.get<std::string>()) != allowed.end();
  });
  return value == nullptr ? fallback : value->get<std::string>();
}

std::vector<double> ObjectReader::numbers(const std::string& key, const Range& range) {
  const auto* value = list(key, "an array of numbers");
  std::vector<double> result;
  if (value == nullptr) return result;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const auto& entry = (*value)[i];
    if (entry.is_number() && range.contains(entry.get<double>())) {
      result.push_back(entry.get<double>());
      continue;
    }
    issues_->push_back(
        {fmt::format("{}/{}/{}", pointer_, escape_pointer(key), i),
         fmt::format("found {}, expected {}", describe_found(entry), range.describe())});
  }
  return result;
}

std::vector<std::int64_t> ObjectReader::integers(const std::string& key, const Range& range) {
  std::vector<std::int64_t> result;
  for (const double value : numbers(key, range)) {
    if (!is_exact_integer(value)) {
      complain(key, fmt::format("found {}, expected integers of at most 2^53 only", value));
      continue;
    }
    result.push_back(static_cast<std::int64_t>(value));
  }
  return result;
}

std::vector<std::string> ObjectReader::texts(const std::string& key) {
  const auto* value = find(key, true, "an array of strings");
  if (value == nullptr) return {};
  const bool strings = value->is_array() && std::all_of(value->begin(), value->end(), is_text);
  if (strings) return value->get<std::vector<std::string>>();
  complain(key,
           fmt::format("found {}, expected an array of non-empty strings", describe_found(*value)));
  return {};
}

ObjectReader ObjectReader::object(const std::string& key) {
  const auto* value = find(key, true, "an object");
  return ObjectReader{value == nullptr ? kEmptyObject : *value,
                      pointer_ + "/" + escape_pointer(key), *issues_};
}

std::vector<ObjectReader> ObjectReader::objects(const std::string& key) {
  std::vector<ObjectReader> readers;
  const auto* value = list(key, "an array of objects");
  if (value == nullptr) return readers;
  for (std::size_t i = 0; i < value->size(); ++i) {
    readers.emplace_back((*value)[i], fmt::format("{}/{}/{}", pointer_, escape_pointer(key), i),
                         *issues_);
  }
  return readers;
}

const Json& ObjectReader::raw(const std::string& key) {
  const auto* value = find(key, false, "");
  return value == nullptr ? kNull : *value;
}

void ObjectReader::ignore_rest() {
  for (const auto& [key, value] : node_->items()) known_.insert(key);
}

void ObjectReader::finish() {
  for (const auto& [key, value] : node_->items()) {
    if (known_.contains(key)) continue;
    auto message = meaning_of(key, known_);
    if (message.empty()) message = did_you_mean(key, {known_.begin(), known_.end()});
    if (message.empty() && !known_.empty()) {
      message = fmt::format("; expected one of {}", fmt::join(known_, ", "));
    }
    complain(key, "unknown key" + message);
  }
}

}  // namespace pacbench
