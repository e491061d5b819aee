#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench {

/// A key of a JSON object and the member that has its value. A member without a value
/// (std::optional) is null in the document.
template <typename Class, typename Value>
struct JsonField {
  const char* key;
  Value Class::*member;
};
// clang before 17 does not deduce the parameters of an aggregate.
template <typename Class, typename Value>
JsonField(const char*, Value Class::*) -> JsonField<Class, Value>;

/// A JsonField whose key a document may lack. The writer leaves the key out when the member has
/// its default value.
template <typename Class, typename Value>
struct LaterJsonField {
  const char* key;
  Value Class::*member;
};
template <typename Class, typename Value>
LaterJsonField(const char*, Value Class::*) -> LaterJsonField<Class, Value>;

/// The keys of a type, listed once for both the writer and the reader. A specialisation has `kAll`,
/// a std::tuple of fields. Each field is of a kind above or of a kind in base/json/checked_keys.h.
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

// Each kind of field has its own overloads of write_field and take_field, so that other headers can
// add kinds.
template <typename Class, typename Value>
void write_field(Json& document, const Class& object, const JsonField<Class, Value>& field) {
  document[field.key] = json_fields::written(object.*field.member);
}
template <typename Class, typename Value>
void write_field(Json& document, const Class& object, const LaterJsonField<Class, Value>& field) {
  auto value = json_fields::written(object.*field.member);
  if (value != json_fields::written(Class{}.*field.member)) document[field.key] = std::move(value);
}

template <typename Class, typename Value>
void take_field(const Json& document, Class& object, const JsonField<Class, Value>& field) {
  json_fields::read(document.at(field.key), object.*field.member);
}
template <typename Class, typename Value>
void take_field(const Json& document, Class& object, const LaterJsonField<Class, Value>& field) {
  if (document.contains(field.key)) json_fields::read(document.at(field.key), object.*field.member);
}

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
