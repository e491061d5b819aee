#include "contract/catalogue/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json/checked_keys.h"
#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/python_name.h"

namespace pacbench {

template <>
struct JsonFields<OptionSpec::InLabel> {
  using T = OptionSpec::InLabel;
  static constexpr std::tuple kAll{sparse("always", &T::always), sparse("share", &T::share),
                                   sparse("none", &T::none)};
};

template <>
struct JsonFields<OptionSpec::Condition> {
  using T = OptionSpec::Condition;
  static constexpr std::tuple kAll{required("option", &T::option), required("values", &T::values)};
};

template <>
struct JsonFields<OptionSpec> {
  using T = OptionSpec;
  static constexpr std::tuple kAll{
      required("name", &T::name),
      required("type", &T::type),
      required("default", &T::default_value),
      required("help", &T::help),
      of_part(&T::range, sparse("minimum", &Range::minimum)),
      of_part(&T::range, sparse("maximum", &Range::maximum)),
      of_part(&T::range, sparse("exclusive_minimum", &Range::exclusive_minimum)),
      sparse("choices", &T::choices),
      sparse("in_label", &T::in_label),
      sparse("only_with", &T::only_with),
      sparse("multiple_of", &T::multiple_of),
      sparse("lossless_with", &T::lossless_with),
      sparse("without_effect", &T::without_effect),
      sparse("feeds_back", &T::feeds_back),
      sparse("takes_decisions", &T::takes_decisions),
      sparse("untimed", &T::untimed),
      sparse("by_link", &T::by_link)};
};

template <>
struct JsonFields<Preset> {
  using T = Preset;
  static constexpr std::tuple kAll{required("name", &T::name), required("help", &T::help),
                                   required("options", &T::options)};
};

template <>
struct JsonFields<MethodInfo> {
  using T = MethodInfo;
  static constexpr std::tuple kAll{required("name", &T::name),
                                   required("summary", &T::summary),
                                   required("paper", &T::paper),
                                   required("options", &T::options),
                                   required("lossless", &T::lossless),
                                   required("unbiased", &T::unbiased),
                                   required("error_feedback", &T::error_feedback),
                                   required("collectives", &T::collectives),
                                   required("presets", &T::presets),
                                   required("family", &T::family),
                                   required("prunes", &T::prunes),
                                   required("state_floats", &T::state_floats),
                                   required("input", &T::input),
                                   required("averages", &T::averages),
                                   sparse("owns_step", &T::owns_step),
                                   required("depends_on_link", &T::depends_on_link),
                                   required("depends_on_time", &T::depends_on_time)};
};

template <>
struct JsonFields<ModelInfo> {
  using T = ModelInfo;
  static constexpr std::tuple kAll{
      required("name", &T::name),         required("summary", &T::summary),
      required("options", &T::options),   required("input", &T::input),
      required("channels", &T::channels), required("min_side", &T::min_side)};
};

template <>
struct JsonFields<DatasetInfo::File> {
  using T = DatasetInfo::File;
  static constexpr std::tuple kAll{required("name", &T::name), required("bytes", &T::bytes)};
};

template <>
struct JsonFields<DatasetInfo> {
  using T = DatasetInfo;
  static constexpr std::tuple kAll{required("name", &T::name),
                                   required("summary", &T::summary),
                                   required("origin", &T::origin),
                                   required("options", &T::options),
                                   required("input", &T::input),
                                   required("shape", &T::shape),
                                   required("classes", &T::classes),
                                   required("train_samples", &T::train_samples),
                                   required("test_samples", &T::test_samples),
                                   required("record_label_bytes", &T::record_label_bytes),
                                   required("files", &T::files)};
};

template <>
struct JsonFields<Catalogue> {
  using T = Catalogue;
  static constexpr std::tuple kAll{required("torch_version", &T::torch_version),
                                   required("methods", &T::methods), required("models", &T::models),
                                   required("datasets", &T::datasets), sparse("files", &T::files)};
};

namespace {

/// Gives the methods that are defaults of a user's class all of their options. Throws ConfigError
/// naming the class for a wrong one.
void complete_inner_methods(MethodInfo& method, const std::vector<MethodInfo>& all) {
  for (auto& option : method.options) {
    if (option.type != OptionSpec::Type::kMethod) continue;
    std::vector<Issue> issues;
    ObjectReader reader{option.default_value, "/" + option.name, issues};
    const auto inner = read_choice(reader, averagers_of(all));
    reader.finish();
    if (!issues.empty()) throw ConfigError{method.name, issues};
    option.default_value = choice_to_json(inner);
  }
}

bool contains(const std::vector<Json>& values, const Json& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

std::vector<MethodInfo> averagers_of(const std::vector<MethodInfo>& all) {
  std::vector<MethodInfo> averagers;
  std::copy_if(all.begin(), all.end(), std::back_inserter(averagers),
               [](const MethodInfo& info) { return info.averages; });
  return averagers;
}

std::vector<Json> inner_methods(const MethodInfo& method, const Json& options) {
  std::vector<Json> inner;
  for (const auto& option : method.options) {
    const auto value = options.value(option.name, option.default_value);
    if (value.is_null()) continue;
    if (option.type == OptionSpec::Type::kMethod) inner.push_back(value);
    if (option.type == OptionSpec::Type::kMethods) {
      inner.insert(inner.end(), value.begin(), value.end());
    }
  }
  return inner;
}

MethodTraits traits_of(const MethodInfo& method, const Json& entry,
                       const std::vector<MethodInfo>& all) {
  MethodTraits traits{method.lossless,        !method.error_feedback, method.unbiased,
                      method.depends_on_link, method.depends_on_time, false};
  for (const auto& option : method.options) {
    const auto value = entry.value(option.name, option.default_value);
    if (!option.lossless_with.is_null() && value != option.lossless_with) traits.lossless = false;
    if (option.feeds_back && value == true) traits.stateless = false;
    const bool given = option.takes_decisions && value != option.default_value;
    if (given) traits.depends_on_link = false;
    if (given || contains(option.untimed, value)) traits.depends_on_time = false;
    if (contains(option.by_link, value)) traits.looks_at_links = true;
  }
  for (const auto& inner : inner_methods(method, entry)) {
    const auto* info = find_named(all, inner.value("name", ""));
    if (info == nullptr) continue;
    const auto of_inner = traits_of(*info, inner, all);
    traits.lossless = traits.lossless && of_inner.lossless;
    traits.unbiased = traits.unbiased && of_inner.unbiased;
    traits.stateless = traits.stateless && of_inner.stateless;
    traits.looks_at_links = traits.looks_at_links || of_inner.looks_at_links;
  }
  traits.looks_at_links = traits.looks_at_links || traits.depends_on_link;
  // A method with state sends a part of a gradient later, and that part adds to another iteration's
  // mean.
  traits.unbiased = traits.unbiased && traits.stateless;
  return traits;
}

const OptionSpec* decisions_option(const MethodInfo& method) {
  const auto found = std::find_if(method.options.begin(), method.options.end(),
                                  [](const OptionSpec& option) { return option.takes_decisions; });
  return found == method.options.end() ? nullptr : &*found;
}

std::string misfit(const ModelInfo& model, const DatasetInfo& dataset) {
  if (dataset.input != model.input) {
    return fmt::format(
        "found \"{}\", a model for {}, but data set \"{}\" has {}; expected a model for {}",
        model.name, model.input, dataset.name, dataset.input, dataset.input);
  }
  if (dataset.input != "images") return "";
  const auto& shape = dataset.shape;
  const bool channels_fit = model.channels == 0 || shape.at(0) == model.channels;
  if (channels_fit && shape.at(1) >= model.min_side && shape.at(2) >= model.min_side) return "";
  return fmt::format(
      "found \"{}\", which takes images of {} channels and at least {}x{} pixels, but those of "
      "data set \"{}\" have {}x{} pixels and {} channels; expected a model that takes these "
      "images, or another data set",
      model.name, model.channels == 0 ? "any number of" : std::to_string(model.channels),
      model.min_side, model.min_side, dataset.name, shape.at(1), shape.at(2), shape.at(0));
}

Catalogue users_classes(const Catalogue& all) {
  Catalogue own{all.torch_version, {}, {}, {}, all.files};
  const auto take = [](const auto& from, auto& to) {
    std::copy_if(from.begin(), from.end(), std::back_inserter(to),
                 [](const auto& info) { return is_users_class(info.name); });
  };
  take(all.methods, own.methods);
  take(all.models, own.models);
  take(all.datasets, own.datasets);
  return own;
}

Catalogue with_classes(Catalogue catalogue, const Catalogue& more) {
  const auto add = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  add(catalogue.methods, more.methods);
  add(catalogue.models, more.models);
  add(catalogue.datasets, more.datasets);
  catalogue.files.insert(more.files.begin(), more.files.end());
  for (auto& method : catalogue.methods) {
    if (is_users_class(method.name)) complete_inner_methods(method, catalogue.methods);
  }
  return catalogue;
}

Json to_json(const Catalogue& catalogue) {
  Json node = catalogue;
  node["version"] = Catalogue::kVersion;
  return node;
}

Catalogue catalogue_from_json(const std::string& source, const Json& document) {
  try {
    if (document.at("version") != Catalogue::kVersion) {
      throw ConfigError{
          source,
          {{"/version",
            fmt::format("found {}, expected {}: another build of pacbench wrote this file; run "
                        "tools/build, or install pacbench again",
                        document.at("version").dump(), Catalogue::kVersion)}}};
    }
    return document.get<Catalogue>();
  } catch (const std::invalid_argument& error) {
    throw ConfigError{source, {{"", fmt::format("not a catalogue: {}", error.what())}}};
  } catch (const Json::exception& error) {
    throw ConfigError{source, {{"", fmt::format("not a catalogue: {}", error.what())}}};
  }
}

}  // namespace pacbench
