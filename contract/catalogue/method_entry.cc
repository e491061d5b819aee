#include "contract/catalogue/method_entry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/json/folder_name.h"
#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/python_name.h"

namespace pacbench {
namespace {

constexpr const char* kSendsLittle = "sends_little";

/// Joins the values of a list by "+": labels name folders, whose names have no commas.
std::string list_in_label(const OptionSpec& option, const Json& values,
                          const std::vector<MethodInfo>& all) {
  const bool methods = option.type == OptionSpec::Type::kMethods;
  std::vector<std::string> words;
  for (const auto& value : values) {
    words.push_back(methods ? inner_label(value, all) : value.dump());
  }
  return fmt::format("{}{}", methods ? "" : option.name + "=", fmt::join(words, "+"));
}

std::string value_in_label(const OptionSpec& option, const Json& value,
                           const std::vector<MethodInfo>& all) {
  const auto& in_label = option.in_label;
  if (option.type == OptionSpec::Type::kMethod) return inner_label(value, all);
  if (value.is_array()) return list_in_label(option, value, all);
  if (option.type == OptionSpec::Type::kChoice) {
    return value == "none" && !in_label.none.empty() ? in_label.none : value.get<std::string>();
  }
  if (!in_label.share.empty() && value.is_number()) {  // null: a required option is missing
    return fmt::format("{}{:g}%", in_label.share, 100 * value.get<double>());
  }
  return fmt::format("{}={}", option.name, value.dump());
}

bool shows_in_label(const OptionSpec& option, const Json& options) {
  if (!has_effect(option, options)) return false;
  return option.in_label.always || options.at(option.name) != option.default_value;
}

/// The label of an entry that gives none: the method's default label, then "-PRESET" for a chosen
/// preset, then "-lr=X" for the entry's own learning rate. Empty when the method could not be read.
std::string fallback_label(const MethodEntry& entry, const MethodInfo* info,
                           const std::string& preset, const std::vector<MethodInfo>& all) {
  if (info == nullptr || entry.choice.options.size() != info->options.size()) return "";
  auto label = default_label(*info, entry.choice.options, all);
  if (!preset.empty()) label += '-' + preset;
  return entry.lr ? fmt::format("{}-lr={:g}", label, *entry.lr) : label;
}

/// Reads the name of the preset; with_presets() has already put its options into the entry.
std::string read_preset(ObjectReader& reader, const MethodInfo* info) {
  std::vector<std::string> names;
  for (const auto& preset : info == nullptr ? std::vector<Preset>{} : info->presets) {
    names.push_back(preset.name);
  }
  // For a method without presets the key is not read, so that it is reported as unknown.
  return names.empty() ? "" : reader.choice_or("preset", "", names);
}

/// Reads one setting of an entry's "tune". The setting's options replace those of the entry; the
/// entry's other options stay. Returns the entry's `own` choice when the setting is wrong.
Choice read_setting(ObjectReader& setting, const Json& given, const Choice& own,
                    const Catalogue& catalogue) {
  setting.ignore_rest();
  if (!given.is_object()) return own;
  Json document = choice_to_json(own);
  if (const auto* info = catalogue.find_method(own.name)) {
    for (const auto& option : info->options) {
      // An option without effect is left out, since nobody asked for its value. If the setting
      // gives the option an effect, its default holds.
      if (!has_effect(option, own.options)) document.erase(option.name);
    }
  }
  document.update(given);
  document["name"] = own.name;
  std::vector<Issue> issues;
  ObjectReader reader{document, "", issues};
  auto choice = read_choice(reader, catalogue.methods);
  reader.finish();
  // The slash at the start of each pointer is cut off.
  for (const auto& issue : issues) setting.complain_at(issue.pointer.substr(1), issue.message);
  return issues.empty() ? choice : own;
}

std::vector<Choice> read_settings(ObjectReader& method, const Choice& own,
                                  const Catalogue& catalogue) {
  std::vector<Choice> settings;
  if (!method.has("tune")) return settings;
  const auto& list = method.raw("tune");
  auto readers = method.objects("tune");
  if (method.is_empty_list("tune")) {
    method.complain("tune",
                    "found an empty list, expected options to try, as in "
                    R"([{"score": "grasp"}, {"score": "magnitude"}])");
  }
  if (own.name.empty()) return settings;  // the options of an unknown method cannot be judged
  for (auto& reader : readers) {
    settings.push_back(read_setting(reader, list[settings.size()], own, catalogue));
  }
  return settings;
}

/// Reads the keys "optimizer" and "tried" of an entry, for which methods and programs have one
/// form.
void read_tried_rate(ObjectReader& method, MethodEntry& entry) {
  entry.tried = method.integer_or("tried", 1, Range::at_least(1));
  if (!method.has("optimizer")) return;
  auto reader = method.object("optimizer");
  entry.lr = reader.number("lr", Range::positive());
  reader.finish();
}

MethodEntry read_own_method(ObjectReader& reader, const Catalogue& catalogue) {
  MethodEntry entry;
  entry.choice = read_choice(reader, catalogue.methods);
  read_tried_rate(reader, entry);
  entry.settings = read_settings(reader, entry.choice, catalogue);
  const auto* info = catalogue.find_method(entry.choice.name);
  const auto preset = read_preset(reader, info);
  entry.label = reader.text_or("label", fallback_label(entry, info, preset, catalogue.methods));
  require_folder_name(reader, "label", entry.label);
  reader.finish();
  return entry;
}

Json read_environment(ObjectReader& method) {
  const auto& variables = method.raw("environment");
  auto reader = method.object("environment");
  Json environment = Json::object();
  if (!variables.is_object()) return environment;  // noted by object()
  for (const auto& [name, value] : variables.items()) {
    environment[name] = reader.string(name);
    if (name.empty() || name.find('=') != std::string::npos) {
      reader.complain(
          name,
          "found an empty name or one with a \"=\", expected the name of an environment variable");
    }
  }
  return environment;
}

/// The options of a program, or of one setting of its "tune": those that are given replace
/// `options`.
Json read_program_options(ObjectReader& reader, Json options) {
  if (reader.is_empty_list("arguments")) {
    options["arguments"] = Json::array();
  } else if (reader.has("arguments")) {
    options["arguments"] = reader.texts("arguments");
  }
  if (reader.has("environment")) options["environment"] = read_environment(reader);
  return options;
}

/// Reads {"name": "program", "label": …, "arguments": […], "environment": {…}, "sends_little": …,
/// "optimizer": {"lr": …}, "tune": […], "tried": …}.
/// The method's options are the arguments, the environment, and sends_little where it is true.
MethodEntry read_program_method(ObjectReader& reader) {
  MethodEntry entry;
  entry.choice.name = reader.choice("name", {kProgramMethod});
  entry.label = reader.text("label");
  require_folder_name(reader, "label", entry.label);
  entry.choice.options =
      read_program_options(reader, {{"arguments", Json::array()}, {"environment", Json::object()}});
  // Written only where it is true, so that scenarios of before keep their canonical form.
  if (reader.boolean_or(kSendsLittle, false)) entry.choice.options[kSendsLittle] = true;
  read_tried_rate(reader, entry);
  if (reader.is_empty_list("tune")) {
    reader.complain("tune", "found an empty list, expected arguments or environments to try");
  } else if (reader.has("tune")) {
    for (auto& setting : reader.objects("tune")) {
      entry.settings.push_back(
          {kProgramMethod, read_program_options(setting, entry.choice.options)});
      setting.finish();
    }
  }
  reader.finish();
  return entry;
}

bool names_program(ObjectReader& method) {
  return method.has("name") && method.raw("name") == kProgramMethod;
}

/// Reads the methods of a scenario, each by `read_one`. Complains of two methods with one label and
/// of an empty list.
template <typename ReadOne>
std::vector<MethodEntry> read_each(ObjectReader& scenario, const ReadOne& read_one) {
  std::vector<MethodEntry> methods;
  std::set<std::string> labels;
  for (auto& reader : scenario.objects("methods")) {
    auto entry = read_one(reader);
    if (!entry.label.empty() && !labels.insert(entry.label).second) {
      reader.complain("label", fmt::format("two methods have the label \"{}\"; give one of them "
                                           "a \"label\" of its own",
                                           entry.label));
    }
    methods.push_back(std::move(entry));
  }
  if (scenario.is_empty_list("methods")) {
    scenario.complain("methods", "expected at least one method");
  }
  return methods;
}

Json optimizer_of_method_schema() {
  using namespace schema;
  return described(closed_object({{"lr", positive_number()}}, {"lr"}),
                   "optimizer settings of this method, in place of the workload's; a program finds "
                   "lr as {lr} in its arguments and in PACBENCH_LR");
}

Json tried_schema() {
  using namespace schema;
  return described(with_default(integer_from(1), 1),
                   "how many settings, with their learning rates, were tried before this one; "
                   "reports show it");
}

Json option_schemas() {
  using namespace schema;
  return {{"arguments", described(array_of(text()),
                                  "arguments after those of the program's command; {seed} stands "
                                  "for the cell's seed, {lr} for optimizer.lr")},
          {"environment", described({{"type", "object"}, {"additionalProperties", text()}},
                                    "variables to add to the program's environment, or to replace "
                                    "there; {seed} in a value stands for the cell's seed")}};
}

Json program_method_schema() {
  using namespace schema;
  auto properties = option_schemas();
  properties.update(
      {{"name", {{"const", kProgramMethod}}},
       {"label", {{"type", "string"}, {"pattern", kFolderName}}},
       {"optimizer", optimizer_of_method_schema()},
       {"tune",
        described(
            {{"type", "array"}, {"items", closed_object(option_schemas(), {})}, {"minItems", 1}},
            "options that tuning tries in place of those given here")},
       {"tried", tried_schema()},
       {kSendsLittle, described({{"type", "boolean"}},
                                "true: the program means to send next to nothing over its links, "
                                "so that this is no reason to suspect its cells")}});
  return closed_object(properties, {"name", "label"});
}

}  // namespace

bool sends_little(const MethodEntry& method) {
  return method.choice.options.is_object() && method.choice.options.value(kSendsLittle, false);
}

std::vector<MethodEntry> read_methods(ObjectReader& scenario, const Catalogue& catalogue) {
  return read_each(scenario, [&](ObjectReader& reader) {
    return names_program(reader) ? read_program_method(reader) : read_own_method(reader, catalogue);
  });
}

std::vector<MethodEntry> read_program_methods(ObjectReader& scenario) {
  return read_each(scenario, read_program_method);
}

std::string default_label(const MethodInfo& method, const Json& options,
                          const std::vector<MethodInfo>& all) {
  auto label = label_name(method.name);
  for (const auto& option : method.options) {
    if (shows_in_label(option, options)) {
      label += '-' + value_in_label(option, options.at(option.name), all);
    }
  }
  return label;
}

std::string inner_label(const Json& inner, const std::vector<MethodInfo>& all) {
  const auto* info = find_named(all, inner.value("name", ""));
  if (info == nullptr || inner.size() != info->options.size() + 1) return "";  // reported already
  return default_label(*info, inner, all);
}

Json to_json(const MethodEntry& method) {
  Json node = choice_to_json(method.choice);
  node["label"] = method.label;
  if (method.lr) node["optimizer"] = {{"lr", *method.lr}};
  if (method.tried > 1) node["tried"] = method.tried;
  for (const auto& setting : method.settings) node["tune"].push_back(setting.options);
  return node;
}

Json methods_schema(const Catalogue& catalogue) {
  using namespace schema;
  auto entry = choice_schema(catalogue.methods);
  for (std::size_t i = 0; i < catalogue.methods.size(); ++i) {
    auto& method = entry["oneOf"][i];
    auto options = method["properties"];
    options.erase("name");
    auto& properties = method["properties"];
    properties["label"] = {
        {"type", "string"},
        {"pattern", kFolderName},
        {"description", "unique name in tables and folders; by default made from the options"}};
    std::vector<std::string> presets;
    for (const auto& preset : catalogue.methods[i].presets) presets.push_back(preset.name);
    if (!presets.empty()) {
      properties["preset"] =
          described(one_of(presets),
                    "name of a set of options; options given beside it replace those of the set");
    }
    properties["optimizer"] = optimizer_of_method_schema();
    properties["tune"] =
        described({{"type", "array"}, {"items", closed_object(options, {})}, {"minItems", 1}},
                  "options that tuning tries in place of those given here");
    properties["tried"] = tried_schema();
  }
  entry["oneOf"].push_back(program_method_schema());
  entry["oneOf"].push_back(
      {{"type", "object"},
       {"required", {"name"}},
       {"properties", {{"name", {{"type", "string"}, {"pattern", "\\.py:"}}}}},
       {"description", "FILE.py:CLASS, a class of your own, with its options"}});
  return {{"type", "array"}, {"items", entry}, {"minItems", 1}};
}

}  // namespace pacbench
