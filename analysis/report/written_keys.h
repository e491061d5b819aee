#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/json/checked_keys.h"
#include "base/json/schema_parts.h"

namespace pacbench::report {

/// A key of a document that is only written: how its value follows from a T, and the value's
/// schema. The writer and the JSON Schema are made from one list of these, so that they cannot
/// disagree.
template <typename T>
struct WrittenKey {
  /// A member's value; null for a std::optional without one.
  template <typename Value>
  WrittenKey(std::string name, Value T::*member, Json value_schema)
      : WrittenKey{std::move(name),
                   [member](const T& object) { return json_fields::written(object.*member); },
                   std::move(value_schema)} {}
  WrittenKey(std::string name, std::function<Json(const T&)> value, Json value_schema)
      : key{std::move(name)}, value_of{std::move(value)}, schema(std::move(value_schema)) {}

  std::string key;
  std::function<Json(const T&)> value_of;
  Json schema;  ///< initialised by parentheses: braces would make an array of it
};
template <typename T>
using WrittenKeys = std::vector<WrittenKey<T>>;

template <typename T>
Json written(const WrittenKeys<T>& keys, const T& object) {
  Json document = Json::object();
  for (const auto& each : keys) document[each.key] = each.value_of(object);
  return document;
}

template <typename T>
Json written_list(const WrittenKeys<T>& keys, const std::vector<T>& objects) {
  Json list = Json::array();
  for (const auto& object : objects) list.push_back(written(keys, object));
  return list;
}

/// The schema of each key's value, by key.
template <typename T>
Json properties_of(const WrittenKeys<T>& keys) {
  Json properties = Json::object();
  for (const auto& each : keys) properties[each.key] = each.schema;
  return properties;
}

template <typename T>
Json schema_of(const WrittenKeys<T>& keys) {
  return schema::whole_object(properties_of(keys));
}

// Schemas of values that both reports and figures have: those that harness/statistics/spread.h
// writes, and a series of scaling.h.
Json spread_schema();    ///< of a spread or null
Json censored_schema();  ///< of a time or count to a target that may be missed
Json interval_schema();  ///< of an interval or null
Json scaling_series_schema();

}  // namespace pacbench::report
