#include "contract/catalogue/program_method.h"

#include "base/json/folder_name.h"
#include "base/json/object_schema.h"

namespace pacbench {
namespace {

constexpr const char* kSendsLittle = "sends_little";

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
Json read_options(ObjectReader& reader, Json options) {
  if (reader.is_empty_list("arguments")) {
    options["arguments"] = Json::array();
  } else if (reader.has("arguments")) {
    options["arguments"] = reader.texts("arguments");
  }
  if (reader.has("environment")) options["environment"] = read_environment(reader);
  reader.raw("arguments");  // known, though they may be missing
  reader.raw("environment");
  return options;
}

/// The schema of a program's options.
Json option_schemas() {
  using namespace schema;
  return {{"arguments", described(array_of(text()),
                                  "arguments after those of the program's command; {seed} stands "
                                  "for the cell's seed, {lr} for optimizer.lr")},
          {"environment", described({{"type", "object"}, {"additionalProperties", text()}},
                                    "variables to add to the program's environment, or to replace "
                                    "there; {seed} in a value stands for the cell's seed")}};
}

}  // namespace

bool sends_little(const MethodEntry& method) {
  return method.choice.options.is_object() && method.choice.options.value(kSendsLittle, false);
}

MethodEntry read_program_method(ObjectReader& reader) {
  MethodEntry entry;
  entry.choice.name = reader.choice("name", {kProgramMethod});
  entry.label = reader.text("label");
  require_folder_name(reader, "label", entry.label);
  entry.choice.options =
      read_options(reader, {{"arguments", Json::array()}, {"environment", Json::object()}});
  // Written only where it is true, so that scenarios of before keep their canonical form.
  if (reader.boolean_or(kSendsLittle, false)) entry.choice.options[kSendsLittle] = true;
  read_tried_rate(reader, entry);
  if (reader.is_empty_list("tune")) {
    reader.complain("tune", "found an empty list, expected arguments or environments to try");
  } else if (reader.has("tune")) {
    for (auto& setting : reader.objects("tune")) {
      entry.settings.push_back({kProgramMethod, read_options(setting, entry.choice.options)});
      setting.finish();
    }
  }
  reader.raw("tune");  // known, though it may be missing
  reader.finish();
  return entry;
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

}  // namespace pacbench
