#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench {

/// The keys of a type, listed once for both the writer and the reader. A specialisation has `kAll`,
/// a std::tuple of keys of the kinds below.
template <typename T>
struct JsonFields;

template <typename T>
concept HasJsonFields = requires {
  JsonFields<T>::kAll;
};

namespace json_fields {

template <typename Value>
Json written(const Value& value) {
  return value;
}
template <typename Value>
Json written(const std::optional<Value>& value) {
  return value ? Json(*value) : Json{};
}

template <typename Value>
void read(const Json& node, Value& value) {
  node.get_to(value);
}
template <typename Value>
void read(const Json& node, std::optional<Value>& value) {
  if (!node.is_null()) read(node, value.emplace());
}

}  // namespace json_fields

/// The values that a key may have. `range` bounds a number, or each number of a list. `words`,
/// unless empty, are the strings allowed. `least_entries` is the shortest length of a list.
struct Bounds {
  Range range = {};
  std::span<const char* const> words = {};
  std::size_t least_entries = 0;
  bool may_be_empty = false;  ///< whether a string may be empty; `words` are then ignored
  bool names_folder =
      false;  ///< the string becomes part of a folder's name (base/json/folder_name.h)

  constexpr Bounds() = default;
  // These constructors are implicit, so that a table of keys may give a Range, or an array of
  // words, where Bounds are expected.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Bounds(const Range& numbers) : range{numbers} {}
  template <std::size_t kCount>
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Bounds(const std::array<const char*, kCount>& all) : words{all} {}

  static constexpr Bounds folder_name() {
    Bounds bounds;
    bounds.names_folder = true;
    return bounds;
  }
  static constexpr Bounds or_empty() {
    Bounds bounds;
    bounds.may_be_empty = true;
    return bounds;
  }
  constexpr Bounds with_entries(std::size_t least) const {
    auto bounds = *this;
    bounds.least_entries = least;
    return bounds;
  }
  std::vector<std::string> allowed() const { return {words.begin(), words.end()}; }
};

enum class Presence {
  kRequired,
  kDefaulted,  ///< may be missing; the writer fills the default in
  kSparse      ///< may be missing; the writer leaves it out while it is the default
};

template <typename T>
concept HasKinds = requires {
  JsonFields<T>::kKind;
};

/// A key, the member that has its value, and bounds for the value. The bounds are for the strict
/// reader (base/json/read_keys.h) and the schema (base/json/object_schema.h). A member without a
/// value (std::optional) that is no sparse key is null in the document.
///
/// The objects of a class may be of several kinds. Then `JsonFields<Class>::kKind` is the member
/// that holds the word for the kind, and its key is the first of the table. `only_for` names the
/// kinds that have this key; empty: all kinds.
template <typename Class, typename Value>
struct CheckedKey {
  const char* key;
  Value Class::*member;
  Bounds bounds;
  const char* help;
  Presence presence;
  std::span<const char* const> only_for = {};

  template <std::size_t kCount>
  constexpr CheckedKey of_kinds(const std::array<const char*, kCount>& kinds) const {
    auto key_of_kinds = *this;
    key_of_kinds.only_for = kinds;
    return key_of_kinds;
  }
  bool exists_in(const Class& object) const {
    if constexpr (HasKinds<Class>) {
      return only_for.empty() || std::find(only_for.begin(), only_for.end(),
                                           object.*JsonFields<Class>::kKind) != only_for.end();
    } else {
      return true;
    }
  }
};

template <typename Class, typename Value>
constexpr auto required(const char* key, Value Class::*member, Bounds bounds = {},
                        const char* help = "") {
  return CheckedKey<Class, Value>{key, member, bounds, help, Presence::kRequired};
}
template <typename Class, typename Value>
constexpr auto defaulted(const char* key, Value Class::*member, Bounds bounds = {},
                         const char* help = "") {
  return CheckedKey<Class, Value>{key, member, bounds, help, Presence::kDefaulted};
}
/// A key that a document may lack. Its member is a std::optional, or has a default. The writer
/// leaves the key out while the member has no value or its default.
template <typename Class, typename Value>
constexpr auto sparse(const char* key, Value Class::*member, Bounds bounds = {},
                      const char* help = "") {
  return CheckedKey<Class, Value>{key, member, bounds, help, Presence::kSparse};
}

/// A key whose reader and schema need more than its value, such as the catalogue or a file. The
/// caller of read_keys reads the value, and passes the key's schema to object_schema.
template <typename Class, typename Value>
struct ApartKey {
  CheckedKey<Class, Value> key;
};
template <typename Class, typename Value>
constexpr auto apart(const CheckedKey<Class, Value>& key) {
  return ApartKey<Class, Value>{key};
}

/// A key whose value is stored in a member of `part`, which is itself a member of the class.
template <typename Class, typename Part, typename Value>
struct PartKey {
  Part Class::*part;
  CheckedKey<Part, Value> key;
};
template <typename Class, typename Part, typename Value>
constexpr auto of_part(Part Class::*part, const CheckedKey<Part, Value>& key) {
  return PartKey<Class, Part, Value>{part, key};
}

/// A key whose value follows from the keys before it in the table. The writer writes the key. The
/// strict reader requires the key and refuses any other value.
template <typename Class, typename Value>
struct DerivedKey {
  const char* key;
  Value (*value_of)(const Class& object);
  Bounds bounds;
  const char* help;
};

/// A value that people may write in more than one type, so that it reads itself.
template <typename Value>
concept ReadsItself = requires(ObjectReader& reader, const char* key) {
  Value::read(reader, key);
  Value::schema();
};

/// An object with the defaults of a kind: `JsonFields<T>::of(kind)` where that function exists.
template <HasKinds T>
T of_kind(const std::string& kind) {
  T object{};
  if constexpr (requires { JsonFields<T>::of(kind); }) object = JsonFields<T>::of(kind);
  object.*JsonFields<T>::kKind = kind;
  return object;
}

namespace checked_keys {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

}  // namespace checked_keys

template <typename Class, typename Value>
void write_field(Json& document, const Class& object, const CheckedKey<Class, Value>& field) {
  if (!field.exists_in(object)) return;
  auto value = json_fields::written(object.*field.member);
  if (field.presence == Presence::kSparse && value == json_fields::written(Class{}.*field.member)) {
    return;
  }
  document[field.key] = std::move(value);
}

template <typename Class, typename Value>
void take_field(const Json& document, Class& object, const CheckedKey<Class, Value>& field) {
  if (!field.exists_in(object)) return;
  const bool is_required = field.presence == Presence::kRequired;
  if (is_required || document.contains(field.key)) {
    json_fields::read(document.at(field.key), object.*field.member);
  }
}

template <typename Class, typename Value>
void write_field(Json& document, const Class& object, const ApartKey<Class, Value>& field) {
  write_field(document, object, field.key);
}
template <typename Class, typename Value>
void take_field(const Json& document, Class& object, const ApartKey<Class, Value>& field) {
  take_field(document, object, field.key);
}

template <typename Class, typename Part, typename Value>
void write_field(Json& document, const Class& object, const PartKey<Class, Part, Value>& field) {
  write_field(document, object.*field.part, field.key);
}
template <typename Class, typename Part, typename Value>
void take_field(const Json& document, Class& object, const PartKey<Class, Part, Value>& field) {
  take_field(document, object.*field.part, field.key);
}

template <typename Class, typename Value>
void write_field(Json& document, const Class& object, const DerivedKey<Class, Value>& field) {
  document[field.key] = field.value_of(object);
}
template <typename Class, typename Value>
void take_field(const Json&, Class&, const DerivedKey<Class, Value>&) {}

/// Types with fields are written by `Json(value)` and read by `node.get<T>()`. Reading throws
/// nlohmann::json::exception for a value of the wrong type, and for a missing key that its kind of
/// field requires. Reading throws std::invalid_argument for an unknown word of an enumeration.
template <HasJsonFields T>
struct JsonSerializer<T> {
  static void to_json(Json& document, const T& object) {
    document = Json::object();
    std::apply([&](const auto&... fields) { (write_field(document, object, fields), ...); },
               JsonFields<T>::kAll);
  }
  static void from_json(const Json& document, T& object) {
    std::apply([&](const auto&... fields) { (take_field(document, object, fields), ...); },
               JsonFields<T>::kAll);
  }
};

}  // namespace pacbench
