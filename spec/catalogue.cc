#include "spec/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace pacbench {
namespace {

using Type = OptionSpec::Type;

constexpr std::array<std::pair<Type, const char*>, 7> kTypeNames{{{Type::kNumber, "number"},
                                                                  {Type::kInteger, "integer"},
                                                                  {Type::kBoolean, "boolean"},
                                                                  {Type::kChoice, "choice"},
                                                                  {Type::kIntegers, "integers"},
                                                                  {Type::kMethod, "method"},
                                                                  {Type::kMethods, "methods"}}};

const char* type_name(Type type) {
  for (const auto& [value, name] : kTypeNames) {
    if (value == type) return name;
  }
  throw std::logic_error{"an option type without a name"};
}

Type type_from_name(const std::string& wanted) {
  for (const auto& [value, name] : kTypeNames) {
    if (wanted == name) return value;
  }
  throw ConfigError{"catalogue", {{"", fmt::format("unknown option type \"{}\"", wanted)}}};
}

Json options_to_json(const std::vector<OptionSpec>& options) {
  Json result = Json::array();
  for (const auto& option : options) result.push_back(to_json(option));
  return result;
}

OptionSpec option_from_json(const Json& node) {
  OptionSpec option;
  option.name = node.at("name");
  option.type = type_from_name(node.at("type"));
  option.default_value = node.at("default");
  option.help = node.at("help");
  if (node.contains("minimum")) option.range.minimum = node.at("minimum").get<double>();
  if (node.contains("maximum")) option.range.maximum = node.at("maximum").get<double>();
  option.range.exclusive_minimum = node.value("exclusive_minimum", false);
  if (node.contains("choices")) option.choices = node.at("choices");
  option.multiple_of = node.value("multiple_of", option.multiple_of);
  option.lossless_with = node.value("lossless_with", Json{});
  option.without_effect = node.value("without_effect", Json{});
  option.feeds_back = node.value("feeds_back", false);
  option.takes_decisions = node.value("takes_decisions", false);
  if (node.contains("untimed")) option.untimed = node.at("untimed");
  if (node.contains("in_label")) {
    const auto& in_label = node.at("in_label");
    option.in_label = {true, in_label.at("share"), in_label.at("none")};
  }
  if (node.contains("only_with")) {
    const auto& condition = node.at("only_with");
    option.only_with = {condition.at("option"), condition.at("values")};
  }
  return option;
}

std::vector<OptionSpec> options_from_json(const Json& node) {
  std::vector<OptionSpec> options;
  for (const auto& entry : node) options.push_back(option_from_json(entry));
  return options;
}

Json presets_to_json(const std::vector<Preset>& presets) {
  Json all = Json::array();
  for (const auto& preset : presets) {
    all.push_back({{"name", preset.name}, {"help", preset.help}, {"options", preset.options}});
  }
  return all;
}

std::vector<Preset> presets_from_json(const Json& node) {
  std::vector<Preset> presets;
  for (const auto& entry : node) {
    presets.push_back({entry.at("name"), entry.at("help"), entry.at("options")});
  }
  return presets;
}

Json to_json(const MethodInfo& method) {
  return {{"name", method.name},
          {"summary", method.summary},
          {"paper", method.paper},
          {"options", options_to_json(method.options)},
          {"lossless", method.lossless},
          {"unbiased", method.unbiased},
          {"error_feedback", method.error_feedback},
          {"collectives", method.collectives},
          {"presets", presets_to_json(method.presets)},
          {"family", method.family},
          {"prunes", method.prunes},
          {"state_floats", method.state_floats},
          {"input", method.input},
          {"averages", method.averages},
          {"depends_on_link", method.depends_on_link},
          {"depends_on_time", method.depends_on_time}};
}

MethodInfo method_from_json(const Json& node) {
  return {node.at("name"),
          node.at("summary"),
          node.at("paper"),
          options_from_json(node.at("options")),
          node.at("lossless"),
          node.at("unbiased"),
          node.at("error_feedback"),
          node.at("collectives"),
          presets_from_json(node.at("presets")),
          node.at("family"),
          node.at("prunes"),
          node.at("state_floats"),
          node.at("input"),
          node.at("averages"),
          node.at("depends_on_link"),
          node.at("depends_on_time")};
}

Json to_json(const ModelInfo& model) {
  return {{"name", model.name},         {"summary", model.summary},
          {"input", model.input},       {"options", options_to_json(model.options)},
          {"channels", model.channels}, {"min_side", model.min_side}};
}

ModelInfo model_from_json(const Json& node) {
  return {node.at("name"),  node.at("summary"),  options_from_json(node.at("options")),
          node.at("input"), node.at("channels"), node.at("min_side")};
}

Json to_json(const DatasetInfo& dataset) {
  Json files = Json::array();
  for (const auto& file : dataset.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}});
  }
  return {{"name", dataset.name},
          {"summary", dataset.summary},
          {"origin", dataset.origin},
          {"options", options_to_json(dataset.options)},
          {"input", dataset.input},
          {"shape", dataset.shape},
          {"classes", dataset.classes},
          {"train_samples", dataset.train_samples},
          {"test_samples", dataset.test_samples},
          {"record_label_bytes", dataset.record_label_bytes},
          {"files", files}};
}

DatasetInfo dataset_from_json(const Json& node) {
  DatasetInfo dataset;
  dataset.name = node.at("name");
  dataset.summary = node.at("summary");
  dataset.origin = node.at("origin");
  dataset.options = options_from_json(node.at("options"));
  dataset.input = node.at("input");
  dataset.shape = node.at("shape").get<std::vector<std::int64_t>>();
  dataset.classes = node.at("classes");
  dataset.train_samples = node.at("train_samples");
  dataset.test_samples = node.at("test_samples");
  dataset.record_label_bytes = node.at("record_label_bytes");
  for (const auto& file : node.at("files")) {
    dataset.files.push_back({file.at("name"), file.at("bytes")});
  }
  return dataset;
}

template <typename Info>
const Info* find(const std::vector<Info>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Info& info) { return info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const MethodInfo* Catalogue::find_method(const std::string& name) const {
  return find(methods, name);
}
const ModelInfo* Catalogue::find_model(const std::string& name) const { return find(models, name); }
const DatasetInfo* Catalogue::find_dataset(const std::string& name) const {
  return find(datasets, name);
}

Json to_json(const OptionSpec& option) {
  Json node{{"name", option.name},
            {"type", type_name(option.type)},
            {"default", option.default_value},
            {"help", option.help}};
  if (option.range.minimum) node["minimum"] = *option.range.minimum;
  if (option.range.maximum) node["maximum"] = *option.range.maximum;
  if (option.range.exclusive_minimum) node["exclusive_minimum"] = true;
  if (!option.choices.empty()) node["choices"] = option.choices;
  if (option.in_label.always) {
    node["in_label"] = {{"share", option.in_label.share}, {"none", option.in_label.none}};
  }
  if (option.multiple_of != 1) node["multiple_of"] = option.multiple_of;
  if (!option.lossless_with.is_null()) node["lossless_with"] = option.lossless_with;
  if (!option.without_effect.is_null()) node["without_effect"] = option.without_effect;
  if (option.feeds_back) node["feeds_back"] = true;
  if (option.takes_decisions) node["takes_decisions"] = true;
  if (!option.untimed.empty()) node["untimed"] = option.untimed;
  if (option.only_with) {
    node["only_with"] = {{"option", option.only_with->option},
                         {"values", option.only_with->values}};
  }
  return node;
}

Json to_json(const Catalogue& catalogue) {
  Json methods = Json::array();
  Json models = Json::array();
  Json datasets = Json::array();
  for (const auto& method : catalogue.methods) methods.push_back(to_json(method));
  for (const auto& model : catalogue.models) {
    models.push_back(to_json(model));
  }
  for (const auto& dataset : catalogue.datasets) datasets.push_back(to_json(dataset));
  return {{"version", Catalogue::kVersion},
          {"torch_version", catalogue.torch_version},
          {"methods", methods},
          {"models", models},
          {"datasets", datasets}};
}

Catalogue catalogue_from_json(const std::string& source, const Json& document) {
  try {
    if (document.at("version") != Catalogue::kVersion) {
      throw ConfigError{
          source,
          {{"/version", fmt::format("found {}, expected {}: build again",
                                    document.at("version").dump(), Catalogue::kVersion)}}};
    }
    Catalogue catalogue;
    catalogue.torch_version = document.at("torch_version");
    for (const auto& node : document.at("methods")) {
      catalogue.methods.push_back(method_from_json(node));
    }
    for (const auto& node : document.at("models")) {
      catalogue.models.push_back(model_from_json(node));
    }
    for (const auto& node : document.at("datasets")) {
      catalogue.datasets.push_back(dataset_from_json(node));
    }
    return catalogue;
  } catch (const Json::exception& error) {
    throw ConfigError{source, {{"", fmt::format("not a catalogue: {}", error.what())}}};
  }
}

}  // namespace pacbench
