#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "contract/catalogue/method_entry.h"
#include "contract/network/network.h"
#include "contract/scenario/scenario.h"
#include "harness/machine/programs.h"
#include "harness/plan/scenario_file.h"
#include "harness/text/table.h"

namespace pacbench::cli {
namespace {

struct ListOptions {
  std::string what;
  std::string format = "text";
};

std::string values_of(const OptionSpec& option) {
  switch (option.type) {
    case OptionSpec::Type::kBoolean:
      return "true or false";
    case OptionSpec::Type::kChoice:
      return fmt::format("{}", fmt::join(option.choices, " | "));
    case OptionSpec::Type::kInteger:
      return option.range.describe() + " without a fraction";
    case OptionSpec::Type::kIntegers:
      return "list, each " + option.range.describe() + " without a fraction";
    case OptionSpec::Type::kMethod:
      return "a method that only averages gradients, with its options";
    case OptionSpec::Type::kMethods:
      return "list of methods that only average gradients, with their options";
    case OptionSpec::Type::kNumber:
      break;
  }
  return option.range.describe();
}

std::string in_words(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string condition_of(const OptionSpec& option) {
  if (!option.only_with) return "";
  std::vector<std::string> words;
  for (const auto& value : option.only_with->values) {
    words.push_back(in_words(value));
  }
  return fmt::format("; only if {} is {}", option.only_with->option, fmt::join(words, " or "));
}

/// Describes the default of an option; a method inside another one is shown by its label.
std::string default_of(const OptionSpec& option, const std::vector<MethodInfo>& methods) {
  const auto& value = option.default_value;
  if (value.is_null()) return "required";
  if (value.is_string()) return "default " + value.get<std::string>();
  std::vector<std::string> labels;
  if (option.type == OptionSpec::Type::kMethod) labels.push_back(inner_label(value, methods));
  if (option.type == OptionSpec::Type::kMethods) {
    for (const auto& one : value) labels.push_back(inner_label(one, methods));
  }
  return fmt::format("default {}",
                     labels.empty() ? value.dump() : fmt::format("{}", fmt::join(labels, ", ")));
}

void print_options(const std::vector<OptionSpec>& options,
                   const std::vector<MethodInfo>& methods = {}) {
  for (const auto& option : options) {
    fmt::print("    {:<16} {}; {}\n    {:<16} {}{}{}\n", option.name, values_of(option),
               default_of(option, methods), "", option.help, condition_of(option),
               option.lossless_with.is_null() ? ""
                                              : fmt::format("; the method is lossless only with {}",
                                                            in_words(option.lossless_with)));
  }
}

void print_heading(const std::string& name, const std::string& summary) {
  fmt::print("{}\n    {}\n", name, summary);
}

/// Returns the methods grouped by family, in the order in which the families first appear. Within a
/// family the methods keep their order.
std::vector<MethodInfo> by_family(std::vector<MethodInfo> methods) {
  for (auto first = methods.begin(); first != methods.end();) {
    const auto family = first->family;
    first = std::stable_partition(
        first, methods.end(), [&](const MethodInfo& method) { return method.family == family; });
  }
  return methods;
}

void print_methods(const Catalogue& catalogue) {
  std::string family;
  for (const auto& method : by_family(catalogue.methods)) {
    if (method.family != family) {
      fmt::print("{}== {} ==\n", family.empty() ? "" : "\n", method.family);
    }
    family = method.family;
    print_heading(method.name, method.summary);
    if (!method.paper.empty()) fmt::print("    paper: {}\n", method.paper);
    std::vector<std::string> flags;
    const auto traits = traits_of(method, Json::object(), catalogue.methods);
    if (traits.lossless) flags.emplace_back("lossless");
    if (traits.unbiased) flags.emplace_back("unbiased");
    if (!traits.stateless) flags.emplace_back("error feedback");
    if (method.averages) flags.emplace_back("may be used inside another method");
    if (method.depends_on_link) flags.emplace_back("its learning curve depends on the link");
    if (method.depends_on_time) flags.emplace_back("its learning curve depends on measured time");
    if (!flags.empty()) fmt::print("    {}\n", fmt::join(flags, ", "));
    if (!method.collectives.empty()) {
      fmt::print("    collectives: {}\n", fmt::join(method.collectives, ", "));
    }
    print_options(method.options, catalogue.methods);
    for (const auto& preset : method.presets) {
      fmt::print("    preset {}: {}\n", preset.name, preset.help);
    }
  }
}

void print_models(const Catalogue& catalogue) {
  for (const auto& model : catalogue.models) {
    print_heading(model.name, model.summary);
    const auto channels =
        model.channels == 0 ? "" : fmt::format(" with {} channels", model.channels);
    const auto side = model.min_side == 1 ? "" : fmt::format(", at least {0}x{0}", model.min_side);
    fmt::print("    takes {}{}{}\n", model.input, channels, side);
    print_options(model.options);
  }
}

void print_datasets(const Catalogue& catalogue) {
  for (const auto& dataset : catalogue.datasets) {
    print_heading(dataset.name, dataset.summary);
    fmt::print("    {} classes, {} of {}, {} to train and {} to test\n    {}\n", dataset.classes,
               dataset.input, fmt::join(dataset.shape, "×"), dataset.train_samples,
               dataset.test_samples, dataset.origin);
    if (!dataset.files.empty()) fmt::print("    pacbench data import {} PATH\n", dataset.name);
    print_options(dataset.options);
  }
}

Json topologies_to_json() {
  Json all = Json::array();
  for (const auto& topology : topologies()) {
    all.push_back({{"name", topology.name}, {"summary", topology.summary}});
  }
  return all;
}

/// The facts by which one chooses a scenario, read from its file unchecked. The file need not be
/// valid here: the file that its /compose/profile names may not have been made yet.
Json facts_of(const plan::ShippedScenario& scenario) {
  const auto document = read_json_file(scenario.path);
  const Scenario defaults;
  Json links = Json::array();
  const auto declared = document.value(Json::json_pointer{"/network/links"}, Json::array());
  for (const auto& link : declared) links.push_back(link.at("name"));
  // A program of the user's own has neither model nor data set that pacbench knows.
  const auto name_in = [&](const char* part) {
    return document.at("workload")
        .value(Json::json_pointer{fmt::format("/{}/name", part)},
               is_program_alone(document) ? "own program" : "");
  };
  return {{"name", scenario.name},
          {"path", scenario.path},
          {"mode", document.value("mode", defaults.mode)},
          {"device", document.value("device", defaults.device)},
          {"workers", document.value("workers", defaults.workers)},
          {"model", name_in("model")},
          {"dataset", name_in("dataset")},
          {"links", links},
          {"methods", document.at("methods").size()},
          {"seeds", document.at("seeds").size()}};
}

std::string text_of(const Json& value) {
  if (!value.is_array()) return in_words(value);
  return fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), " "));
}

/// Prints the scenarios that came with pacbench.
void list_scenarios(bool json) {
  Json all = Json::array();
  for (const auto& scenario : plan::shipped_scenarios(shipped_folders("scenarios"))) {
    all.push_back(facts_of(scenario));
  }
  if (json) {
    fmt::print("{}\n", all.dump(2));
    return;
  }
  const std::vector<std::string> keys{"name",    "mode",  "device",  "workers", "model",
                                      "dataset", "links", "methods", "seeds"};
  Table table;
  for (const auto& key : keys) {
    const bool counts = key == "workers" || key == "methods" || key == "seeds";
    table.columns.push_back({"", key, !counts});
  }
  for (const auto& facts : all) {
    std::vector<std::string> row;
    for (const auto& key : keys) row.push_back(text_of(facts.at(key)));
    table.rows.push_back(std::move(row));
  }
  fmt::print("{}", to_text(table));
}

void list(const ListOptions& options) {
  const bool json = options.format == "json";
  if (options.what == "scenarios") return list_scenarios(json);
  if (options.what == "topologies") {
    if (json) {
      fmt::print("{}\n", topologies_to_json().dump(2));
    } else {
      for (const auto& topology : topologies()) print_heading(topology.name, topology.summary);
    }
    return;
  }
  const auto catalogue = load_catalogue(Programs::find());
  if (json) {
    fmt::print("{}\n", to_json(catalogue).at(options.what).dump(2));
  } else if (options.what == "methods") {
    print_methods(catalogue);
  } else if (options.what == "models") {
    print_models(catalogue);
  } else {
    print_datasets(catalogue);
  }
}

}  // namespace

void add_list(CLI::App& app, int&) {
  auto* command = app.add_subcommand("list",
                                     "Print the methods, models, data sets, topologies or "
                                     "scenarios to choose from, with their options");
  const auto options = std::make_shared<ListOptions>();
  command->add_option("WHAT", options->what, "What to print")
      ->required()
      ->check(one_of({"methods", "models", "datasets", "topologies", "scenarios"}));
  add_checked(*command, "--format", options->format, "Output format", one_of({"text", "json"}));
  command->callback([options] { list(*options); });
}

}  // namespace pacbench::cli
