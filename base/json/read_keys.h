#pragma once

#include "base/json/checked_keys.h"
#include "base/json/folder_name.h"

namespace pacbench {

/// Reads the keys of T's table; errors are reported through `reader`. An optional key that is
/// missing leaves its member unchanged. A member of type Json takes any object with a "name", and
/// its key is never optional. The caller must read ApartKeys itself and call finish().
template <HasJsonFields T>
void read_keys(ObjectReader& reader, T& object);

/// Reads an object, and reports keys that T's table lacks. If JsonFields<T> has a function
/// `check(reader, object)`, calls it unless a key had an error. That function complains of keys
/// that contradict each other.
template <HasJsonFields T>
T read_object(ObjectReader reader) {
  T object{};
  const auto before = reader.issues();
  read_keys(reader, object);
  reader.finish();
  if constexpr (requires { JsonFields<T>::check(reader, object); }) {
    if (reader.issues() == before) JsonFields<T>::check(reader, object);
  }
  return object;
}

namespace checked_keys {

/// Reads the value of a member of type Json: an object with a "name". Other code judges its other
/// keys.
Json read_named_object(ObjectReader& reader, const char* key);

/// Complains of a list with fewer entries than the bounds say.
void check_entries(ObjectReader& reader, const char* key, const Bounds& bounds);

template <typename Value>
void read_value(ObjectReader& reader, const char* key, Value& value, const Bounds& bounds,
                bool is_required) {
  if constexpr (ReadsItself<Value>) {
    if (is_required || reader.has(key)) value = Value::read(reader, key);
  } else if constexpr (std::is_same_v<Value, bool>) {
    if (is_required && !reader.has(key)) reader.complain(key, "missing, expected true or false");
    value = reader.boolean_or(key, value);
  } else if constexpr (std::is_enum_v<Value>) {
    value = is_required ? read_word<Value>(reader, key) : read_word_or(reader, key, value);
  } else if constexpr (std::is_integral_v<Value>) {
    value = static_cast<Value>(is_required ? reader.integer(key, bounds.range)
                                           : reader.integer_or(key, value, bounds.range));
  } else if constexpr (std::is_floating_point_v<Value>) {
    value =
        is_required ? reader.number(key, bounds.range) : reader.number_or(key, value, bounds.range);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    if (bounds.may_be_empty) {
      value = is_required ? reader.string(key) : reader.string_or(key, value);
    } else if (bounds.words.empty()) {
      value = is_required ? reader.text(key) : reader.text_or(key, value);
      if (bounds.names_folder) require_folder_name(reader, key, value);
    } else {
      value = is_required ? reader.choice(key, bounds.allowed())
                          : reader.choice_or(key, value, bounds.allowed());
    }
  } else if constexpr (std::is_same_v<Value, Json>) {
    value = read_named_object(reader, key);
  } else if constexpr (IsOptional<Value>::value) {
    if (!reader.has(key)) return;
    typename Value::value_type held{};
    read_value(reader, key, held, bounds, true);
    value = std::move(held);
  } else {
    if (!is_required && !reader.has(key)) return;
    if constexpr (!IsVector<Value>::value) {
      value = read_object<Value>(reader.object(key));
    } else {
      using Entry = typename Value::value_type;
      value.clear();
      if constexpr (HasJsonFields<Entry>) {
        for (auto& entry : reader.objects(key)) value.push_back(read_object<Entry>(entry));
      } else if constexpr (std::is_same_v<Entry, std::string>) {
        value = reader.texts(key);
      } else if constexpr (std::is_floating_point_v<Entry>) {
        value = reader.numbers(key, bounds.range);
      } else {
        for (const auto entry : reader.integers(key, bounds.range)) {
          value.push_back(static_cast<Entry>(entry));
        }
      }
      check_entries(reader, key, bounds);
    }
  }
}

std::string differs_from_derived(const Json& found, const Json& expected, const char* help);

template <typename Class, typename Value>
void read(ObjectReader& reader, Class& object, const CheckedKey<Class, Value>& field) {
  if (!field.exists_in(object)) return;
  const bool is_required = field.presence == Presence::kRequired;
  read_value(reader, field.key, object.*field.member, field.bounds, is_required);
  if constexpr (HasKinds<Class> && std::is_same_v<Value, std::string>) {
    if (field.member == JsonFields<Class>::kKind) object = of_kind<Class>(object.*field.member);
  }
}
template <typename Class, typename Value>
void read(ObjectReader&, Class&, const ApartKey<Class, Value>&) {}
template <typename Class, typename Part, typename Value>
void read(ObjectReader& reader, Class& object, const PartKey<Class, Part, Value>& field) {
  read(reader, object.*field.part, field.key);
}
template <typename Class, typename Value>
void read(ObjectReader& reader, Class& object, const DerivedKey<Class, Value>& field) {
  Value found{};
  read_value(reader, field.key, found, field.bounds, true);
  const auto expected = field.value_of(object);
  if (!reader.has(field.key) || found == expected) return;
  reader.complain(field.key, differs_from_derived(found, expected, field.help));
}

}  // namespace checked_keys

template <HasJsonFields T>
void read_keys(ObjectReader& reader, T& object) {
  std::apply([&](const auto&... fields) { (checked_keys::read(reader, object, fields), ...); },
             JsonFields<T>::kAll);
}

}  // namespace pacbench
