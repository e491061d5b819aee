// This file reads options as the catalogue specifies them, expands presets, and describes options
// in a schema.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "contract/catalogue/choice_json.h"

namespace pacbench {
namespace {

Json read_inner_method(ObjectReader reader, const std::vector<MethodInfo>& all) {
  const auto averagers = averagers_of(all);
  const auto& name = reader.raw("name");
  const auto* named = name.is_string() ? find_named(all, name.get<std::string>()) : nullptr;
  if (named != nullptr && !named->averages) {
    std::vector<std::string> names;
    for (const auto& info : averagers) names.push_back(info.name);
    reader.complain("name", fmt::format("found {}, which does more than average gradients and so "
                                        "cannot be inside another method; expected one of {}",
                                        name.dump(), fmt::join(names, ", ")));
    reader.ignore_rest();
    return Json::object();
  }
  const auto choice = read_choice(reader, averagers);
  reader.finish();
  return choice_to_json(choice);
}

Json read_inner_methods(ObjectReader& reader, const OptionSpec& option,
                        const std::vector<MethodInfo>& all) {
  Json methods = Json::array();
  for (const auto& entry : reader.objects(option.name)) {
    methods.push_back(read_inner_method(entry, all));
  }
  if (reader.is_empty_list(option.name)) {
    reader.complain(option.name, "found an empty list, expected at least one method");
  }
  return methods;
}

std::int64_t read_integer(ObjectReader& reader, const OptionSpec& option) {
  const auto value = reader.integer(option.name, option.range);
  if (value % option.multiple_of != 0) {
    reader.complain(option.name,
                    fmt::format("found {}, expected a multiple of {}", value, option.multiple_of));
  }
  return value;
}

Json read_option(ObjectReader& reader, const OptionSpec& option,
                 const std::vector<MethodInfo>& all) {
  if (option.default_value.is_null() && !reader.has(option.name)) {
    reader.complain(option.name, fmt::format("missing: {}", option.help));
  }
  if (!reader.has(option.name)) {
    // 1 and 1.0 are the same number, and must give the same canonical form.
    const bool number =
        option.type == OptionSpec::Type::kNumber && option.default_value.is_number();
    return number ? Json(option.default_value.get<double>()) : option.default_value;
  }
  switch (option.type) {
    case OptionSpec::Type::kNumber:
      return reader.number(option.name, option.range);
    case OptionSpec::Type::kInteger:
      return read_integer(reader, option);
    case OptionSpec::Type::kBoolean:
      return reader.boolean_or(option.name, false);
    case OptionSpec::Type::kChoice:
      return reader.choice(option.name, option.choices);
    case OptionSpec::Type::kIntegers:
      return reader.integers(option.name, option.range);
    case OptionSpec::Type::kMethod:
      return read_inner_method(reader.object(option.name), all);
    case OptionSpec::Type::kMethods:
      return read_inner_methods(reader, option, all);
  }
  throw std::logic_error{"an option type that nobody reads"};
}

Json value_without_effect(const OptionSpec& option) {
  return option.without_effect.is_null() ? option.default_value : option.without_effect;
}

/// Complains of an option that is given but has no effect, since nobody would notice that.
void check_condition(ObjectReader& reader, const OptionSpec& option, const Json& options) {
  const auto& found = options.at(option.name);
  if (!reader.has(option.name) || has_effect(option, options)) return;
  if (found == option.default_value || found == value_without_effect(option)) return;
  const auto& [other, values] = *option.only_with;
  std::vector<std::string> words;
  for (const auto& value : values) words.push_back(value.dump());
  reader.complain(
      option.name,
      fmt::format(
          "found {}, which has no effect while {} is {}; expected {} to be {}, or no \"{}\"",
          found.dump(), other, options.at(other).dump(), other, fmt::join(words, " or "),
          option.name));
}

/// The one of `all` that the entry names under `key`; null when it names none of them.
template <typename Named>
const Named* named_by(const Json& entry, const char* key, const std::vector<Named>& all) {
  const auto name = entry.find(key);
  const bool is_there = name != entry.end() && name->is_string();
  return is_there ? find_named(all, name->get<std::string>()) : nullptr;
}

/// Whether an option has an effect, given the other options of the entry and of the preset.
bool has_effect(const MethodInfo& method, const std::string& name, const Json& entry,
                const Json& preset) {
  const auto* option = find_named(method.options, name);
  if (option == nullptr || !option->only_with) return true;
  const auto& [other, values] = *option->only_with;
  const auto* beside = find_named(method.options, other);
  const Json fallback = beside == nullptr ? Json{} : beside->default_value;
  const auto value = entry.value(other, preset.value(other, fallback));
  return std::find(values.begin(), values.end(), value) != values.end();
}

void expand(Json& entry, const Catalogue& catalogue) {
  if (!entry.is_object()) return;
  const auto* method = named_by(entry, "name", catalogue.methods);
  if (method == nullptr) return;
  const auto* preset = named_by(entry, "preset", method->presets);
  if (preset == nullptr) return;
  for (const auto& [name, value] : preset->options.items()) {
    if (!entry.contains(name) && has_effect(*method, name, entry, preset->options)) {
      entry[name] = value;
    }
  }
}

}  // namespace

bool has_effect(const OptionSpec& option, const Json& options) {
  if (!option.only_with) return true;
  const auto& values = option.only_with->values;
  return std::find(values.begin(), values.end(), options.at(option.only_with->option)) !=
         values.end();
}

void reset_without_effect(const std::vector<OptionSpec>& specs, Json& options) {
  for (const auto& option : specs) {
    if (!has_effect(option, options)) options[option.name] = value_without_effect(option);
  }
}

Json read_options(ObjectReader& reader, const std::vector<OptionSpec>& specs,
                  const std::vector<MethodInfo>& all) {
  Json options = Json::object();
  for (const auto& option : specs) options[option.name] = read_option(reader, option, all);
  for (const auto& option : specs) check_condition(reader, option, options);
  reset_without_effect(specs, options);
  return options;
}

Json option_schema(const OptionSpec& option, const std::vector<MethodInfo>& all) {
  Json value;
  switch (option.type) {
    case OptionSpec::Type::kNumber:
    case OptionSpec::Type::kIntegers:
      value["type"] = option.type == OptionSpec::Type::kNumber ? "number" : "integer";
      break;
    case OptionSpec::Type::kInteger:
      value["type"] = "integer";
      if (option.multiple_of != 1) value["multipleOf"] = option.multiple_of;
      break;
    case OptionSpec::Type::kBoolean:
      value["type"] = "boolean";
      break;
    case OptionSpec::Type::kChoice:
      value["enum"] = option.choices;
      break;
    case OptionSpec::Type::kMethod:
      value = schema::choice_schema(averagers_of(all));
      break;
    case OptionSpec::Type::kMethods:
      value = {
          {"type", "array"}, {"items", schema::choice_schema(averagers_of(all))}, {"minItems", 1}};
      break;
  }
  if (option.range.minimum) {
    value[option.range.exclusive_minimum ? "exclusiveMinimum" : "minimum"] = *option.range.minimum;
  }
  if (option.range.maximum) value["maximum"] = *option.range.maximum;
  if (option.type == OptionSpec::Type::kIntegers) value = {{"type", "array"}, {"items", value}};
  value["description"] = option.help;
  if (!option.default_value.is_null()) value["default"] = option.default_value;
  return value;
}

Json with_presets(Json scenario, const Catalogue& catalogue) {
  if (!scenario.is_object() || !scenario.contains("methods")) return scenario;
  auto& methods = scenario["methods"];
  if (!methods.is_array()) return scenario;
  for (auto& entry : methods) expand(entry, catalogue);
  return scenario;
}

}  // namespace pacbench
