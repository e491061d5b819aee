#include "contract/scenario/program.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/folder_name.h"
#include "base/object_schema.h"
#include "base/read_keys.h"
#include "contract/scenario/program_keys.h"

namespace pacbench {
namespace {

Json read_environment(ObjectReader& method) {
  const auto& variables = method.raw("environment");  // known, though it may be missing
  if (!method.has("environment")) return Json::object();
  auto reader = method.object("environment");
  Json environment = Json::object();
  if (!variables.is_object()) return environment;  // noted by object()
  for (const auto& [name, value] : variables.items()) {
    environment[name] = reader.string(name);
    if (name.empty() || name.find('=') != std::string::npos) {
      reader.complain(name,
                      "found a name that is empty or has a \"=\", expected one as in a shell");
    }
  }
  return environment;
}

MethodEntry read_method(ObjectReader& reader) {
  MethodEntry entry;
  entry.choice.name = reader.choice("name", {kProgramMethod});
  entry.label = reader.text("label");
  require_folder_name(reader, "label", entry.label);
  auto arguments = Json::array();
  const bool is_empty = reader.is_empty_list("arguments");
  if (reader.has("arguments") && !is_empty) arguments = reader.texts("arguments");
  entry.choice.options = {{"arguments", arguments}, {"environment", read_environment(reader)}};
  reader.finish();
  return entry;
}

std::string with_seed(std::string word, std::int64_t seed) {
  constexpr std::string_view kSeed = "{seed}";
  const auto digits = fmt::to_string(seed);
  for (auto at = word.find(kSeed); at != std::string::npos; at = word.find(kSeed, at)) {
    word.replace(at, kSeed.size(), digits);
    at += digits.size();
  }
  return word;
}

}  // namespace

bool has_program(const Json& scenario) {
  const auto workload = scenario.is_object() ? scenario.find("workload") : scenario.end();
  return scenario.is_object() && workload != scenario.end() && workload->is_object() &&
         workload->contains("command");
}

Program read_program(ObjectReader reader, const std::string& source) {
  Program program;
  read_keys(reader, program);
  const auto folder = std::filesystem::absolute(source).parent_path();
  program.folder = (folder / reader.text_or("folder", ".")).lexically_normal().string();
  reader.finish();
  return program;
}

std::vector<MethodEntry> read_program_methods(ObjectReader& scenario) {
  std::vector<MethodEntry> methods;
  std::set<std::string> labels;
  for (auto& reader : scenario.objects("methods")) {
    auto entry = read_method(reader);
    if (!entry.label.empty() && !labels.insert(entry.label).second) {
      reader.complain("label", fmt::format("two methods have the label \"{}\", expected a label of "
                                           "its own for each",
                                           entry.label));
    }
    methods.push_back(std::move(entry));
  }
  if (scenario.is_empty_list("methods")) {
    scenario.complain("methods", "expected at least one method");
  }
  return methods;
}

std::vector<std::string> command_line(const Program& program, const MethodEntry& method,
                                      std::int64_t seed) {
  std::vector<std::string> words;
  for (const auto& word : program.command) words.push_back(with_seed(word, seed));
  for (const std::string word : method.choice.options.at("arguments")) {
    words.push_back(with_seed(word, seed));
  }
  return words;
}

std::vector<std::string> environment_of(const MethodEntry& method, std::int64_t seed) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : method.choice.options.at("environment").items()) {
    variables.push_back(name + '=' + with_seed(value.get<std::string>(), seed));
  }
  return variables;
}

Json program_to_json(const Program& program) {
  Json node = program;
  node["folder"] = program.folder;
  return node;
}

Json program_schema() { return object_schema<Program>({{"folder", schema::text()}}); }

Json program_method_schema() {
  using namespace schema;
  return closed_object(
      {{"name", {{"const", kProgramMethod}}},
       {"label", {{"type", "string"}, {"pattern", kFolderName}}},
       {"arguments", described(array_of(text()), "behind those of workload.command")},
       {"environment",
        described({{"type", "object"}, {"additionalProperties", text()}},
                  "variables that the program finds; {seed} is replaced there too")}},
      {"name", "label"});
}

}  // namespace pacbench
