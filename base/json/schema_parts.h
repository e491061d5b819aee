#pragma once

#include <string>
#include <vector>

#include "base/json/json_reader.h"

/// Pieces that JSON Schemas are put together from.
namespace pacbench::schema {

/// The version of JSON Schema in which all of pacbench's schemas are written.
inline constexpr const char* kDraft = "http://json-schema.org/draft-07/schema#";

inline Json described(Json schema, const char* description) {
  schema["description"] = description;
  return schema;
}

inline Json with_default(Json schema, const Json& value) {
  schema["default"] = value;
  return schema;
}

inline Json one_of(const std::vector<std::string>& words) { return {{"enum", words}}; }

inline Json integer(std::int64_t minimum, std::int64_t maximum) {
  return {{"type", "integer"}, {"minimum", minimum}, {"maximum", maximum}};
}

inline Json integer_from(std::int64_t minimum) {
  return {{"type", "integer"}, {"minimum", minimum}};
}

inline Json positive_number() { return {{"type", "number"}, {"exclusiveMinimum", 0}}; }

/// (0, 1].
inline Json ratio() { return {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1}}; }

/// At least one item, each once.
inline Json list_of(const Json& items) {
  return {{"type", "array"}, {"items", items}, {"minItems", 1}, {"uniqueItems", true}};
}

/// An object that has no other keys than `properties` and must have those of `required`.
inline Json closed_object(const Json& properties, const std::vector<std::string>& required) {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", required},
          {"properties", properties}};
}

// The parts below are mostly for documents that pacbench writes.

/// An object that must have all keys of `properties`, and has no others.
inline Json whole_object(const Json& properties) {
  std::vector<std::string> required;
  for (const auto& [key, value] : properties.items()) required.push_back(key);
  return closed_object(properties, required);
}

/// Any number of items, also none.
inline Json array_of(const Json& items) { return {{"type", "array"}, {"items", items}}; }

inline Json or_null(const Json& schema) { return {{"anyOf", {schema, {{"type", "null"}}}}}; }

inline Json text() { return {{"type", "string"}}; }

inline Json any_number() { return {{"type", "number"}}; }

inline Json number_or_null() { return {{"type", {"number", "null"}}}; }

/// The schema of a whole document: a whole_object() whose key "format" has the value `format`.
inline Json document(const std::string& title, const char* format, Json properties) {
  properties["format"] = {{"const", format}};
  auto schema = whole_object(properties);
  schema["$schema"] = kDraft;
  schema["title"] = title;
  return schema;
}

}  // namespace pacbench::schema
