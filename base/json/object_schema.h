#pragma once

#include "base/json/checked_keys.h"
#include "base/json/folder_name.h"
#include "base/json/schema_parts.h"

namespace pacbench {

/// The JSON Schema (draft-07) of an object that has the keys of T and no others. Where T has kinds,
/// the result is the "oneOf" of the kinds' schemas; kinds whose schemas differ only in the kind's
/// word share one. `apart` maps the key of each ApartKey to its schema. Throws nlohmann's
/// out_of_range when `apart` lacks one of these keys.
template <HasJsonFields T>
Json object_schema(const Json& apart = Json::object());

namespace checked_keys {

Json number_schema(const char* type, const Range& range);

template <typename Value>
Json value_schema(const Bounds& bounds) {
  if constexpr (ReadsItself<Value>) {
    return Value::schema();
  } else if constexpr (std::is_same_v<Value, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_enum_v<Value>) {
    return schema::one_of(all_words<Value>());
  } else if constexpr (std::is_integral_v<Value>) {
    return number_schema("integer", bounds.range);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return number_schema("number", bounds.range);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    if (bounds.names_folder) return {{"type", "string"}, {"pattern", kFolderName}};
    if (bounds.may_be_empty) return schema::text();
    if (bounds.words.empty()) return {{"type", "string"}, {"minLength", 1}};
    return schema::one_of(bounds.allowed());
  } else if constexpr (std::is_same_v<Value, Json>) {
    return {{"type", "object"}, {"required", {"name"}}};
  } else if constexpr (IsOptional<Value>::value) {
    return value_schema<typename Value::value_type>(bounds);
  } else if constexpr (IsVector<Value>::value) {
    auto list = schema::array_of(value_schema<typename Value::value_type>(bounds));
    if (bounds.least_entries > 0) list["minItems"] = bounds.least_entries;
    return list;
  } else {
    return object_schema<Value>();
  }
}

/// Whether a default is a value that a person could have written. A table may use a number out of
/// bounds to say that a key has no default.
bool is_within(const Json& value, const Bounds& bounds);

/// A schema under construction, and the schemas of the ApartKeys.
struct ObjectSchema {
  const Json& apart;
  Json properties = Json::object();
  std::vector<std::string> required = {};
};

template <typename Class, typename Value>
void add(ObjectSchema& schema, const Class& defaults, const CheckedKey<Class, Value>& field,
         Json of_value) {
  if (*field.help != '\0') of_value["description"] = field.help;
  if (field.presence == Presence::kRequired) {
    schema.required.emplace_back(field.key);
  } else if constexpr (!IsOptional<Value>::value && !IsVector<Value>::value) {
    const Json value = json_fields::written(defaults.*field.member);
    if (is_within(value, field.bounds)) of_value["default"] = value;
  }
  schema.properties[field.key] = std::move(of_value);
}

template <typename Class, typename Value>
void describe(ObjectSchema& schema, const Class& defaults, const CheckedKey<Class, Value>& field) {
  if (!field.exists_in(defaults)) return;
  auto of_value = value_schema<Value>(field.bounds);
  if constexpr (HasKinds<Class> && std::is_same_v<Value, std::string>) {
    if (field.member == JsonFields<Class>::kKind) of_value["enum"] = {defaults.*field.member};
  }
  add(schema, defaults, field, std::move(of_value));
}
template <typename Class, typename Value>
void describe(ObjectSchema& schema, const Class& defaults, const ApartKey<Class, Value>& field) {
  if (field.key.exists_in(defaults)) {
    add(schema, defaults, field.key, schema.apart.at(field.key.key));
  }
}
template <typename Class, typename Part, typename Value>
void describe(ObjectSchema& schema, const Class& defaults,
              const PartKey<Class, Part, Value>& field) {
  describe(schema, defaults.*field.part, field.key);
}
template <typename Class, typename Value>
void describe(ObjectSchema& schema, const Class&, const DerivedKey<Class, Value>& field) {
  schema.required.emplace_back(field.key);
  schema.properties[field.key] = schema::described(value_schema<Value>(field.bounds), field.help);
}

template <HasJsonFields T>
Json schema_like(const T& defaults, const Json& apart) {
  ObjectSchema schema{apart};
  std::apply([&](const auto&... fields) { (describe(schema, defaults, fields), ...); },
             JsonFields<T>::kAll);
  return schema::closed_object(schema.properties, schema.required);
}

/// The schema that allows each of these kinds. Kinds whose schemas are equal except for the kind's
/// word become one alternative with all their words. `key` is the key that holds the word.
Json one_of_kinds(const std::vector<Json>& kinds, const char* key);

}  // namespace checked_keys

template <HasJsonFields T>
Json object_schema(const Json& apart) {
  if constexpr (HasKinds<T>) {
    const auto& kind = std::get<0>(JsonFields<T>::kAll);
    std::vector<Json> kinds;
    for (const auto* word : kind.bounds.words) {
      kinds.push_back(checked_keys::schema_like(of_kind<T>(word), apart));
    }
    return checked_keys::one_of_kinds(kinds, kind.key);
  } else {
    return checked_keys::schema_like(T{}, apart);
  }
}

}  // namespace pacbench
