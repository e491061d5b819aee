#include "contract/catalogue/program_method.h"

#include "base/folder_name.h"
#include "base/object_schema.h"

namespace pacbench {
namespace {

constexpr const char* kSendsLittle = "sends_little";

Json read_environment(ObjectReader& method) {
  const auto& variables = method.raw("environment");  // known, though it may be missing
  if (!method.has("environment")) return Json::object();
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

}  // namespace

bool sends_little(const MethodEntry& method) {
  return method.choice.options.is_object() && method.choice.options.value(kSendsLittle, false);
}

MethodEntry read_program_method(ObjectReader& reader) {
  MethodEntry entry;
  entry.choice.name = reader.choice("name", {kProgramMethod});
  entry.label = reader.text("label");
  require_folder_name(reader, "label", entry.label);
  auto arguments = Json::array();
  const bool is_empty = reader.is_empty_list("arguments");
  if (reader.has("arguments") && !is_empty) arguments = reader.texts("arguments");
  entry.choice.options = {{"arguments", arguments}, {"environment", read_environment(reader)}};
  // Written only where it is true, so that scenarios of before keep their canonical form.
  if (reader.boolean_or(kSendsLittle, false)) entry.choice.options[kSendsLittle] = true;
  read_tried_rate(reader, entry);
  if (!entry.lr && entry.choice.options.dump().find("{lr}") != std::string::npos) {
    reader.complain("optimizer", "missing, expected {\"lr\": NUMBER} beside {lr}");
  }
  reader.finish();
  return entry;
}

Json program_method_schema() {
  using namespace schema;
  return closed_object(
      {{"name", {{"const", kProgramMethod}}},
       {"label", {{"type", "string"}, {"pattern", kFolderName}}},
       {"arguments", described(array_of(text()),
                               "arguments after those of the program's command; {seed} stands for "
                               "the cell's seed, {lr} for optimizer.lr")},
       {"environment", described({{"type", "object"}, {"additionalProperties", text()}},
                                 "variables to add to the program's environment, or to replace "
                                 "there; {seed} in a value stands for the cell's seed")},
       {"optimizer", optimizer_of_method_schema()},
       {"tried", tried_schema()},
       {kSendsLittle, described({{"type", "boolean"}},
                                "true: the program means to send next to nothing over its links, "
                                "so that this is no reason to suspect its cells")}},
      {"name", "label"});
}

}  // namespace pacbench
