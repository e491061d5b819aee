#include "base/json/schema_parts.h"

namespace pacbench::schema {

Json described(Json schema, const char* description) {
  schema["description"] = description;
  return schema;
}

Json with_default(Json schema, const Json& value) {
  schema["default"] = value;
  return schema;
}

Json one_of(const std::vector<std::string>& words) { return {{"enum", words}}; }

Json integer(std::int64_t minimum, std::int64_t maximum) {
  return {{"type", "integer"}, {"minimum", minimum}, {"maximum", maximum}};
}

Json integer_from(std::int64_t minimum) { return {{"type", "integer"}, {"minimum", minimum}}; }

Json number(double minimum, double maximum) {
  return {{"type", "number"}, {"minimum", minimum}, {"maximum", maximum}};
}

Json positive_number() { return {{"type", "number"}, {"exclusiveMinimum", 0}}; }

Json ratio() { return {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1}}; }

Json list_of(const Json& items) {
  return {{"type", "array"}, {"items", items}, {"minItems", 1}, {"uniqueItems", true}};
}

Json closed_object(const Json& properties, const std::vector<std::string>& required) {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", required},
          {"properties", properties}};
}

Json whole_object(const Json& properties) {
  std::vector<std::string> required;
  for (const auto& [key, value] : properties.items()) required.push_back(key);
  return closed_object(properties, required);
}

Json array_of(const Json& items) { return {{"type", "array"}, {"items", items}}; }

Json or_null(const Json& schema) { return {{"anyOf", {schema, {{"type", "null"}}}}}; }

Json text() { return {{"type", "string"}}; }

Json any_number() { return {{"type", "number"}}; }

Json number_or_null() { return {{"type", {"number", "null"}}}; }

Json document(const std::string& title, const char* format, Json properties) {
  properties["format"] = {{"const", format}};
  auto schema = whole_object(properties);
  schema["$schema"] = kDraft;
  schema["title"] = title;
  return schema;
}

}  // namespace pacbench::schema
