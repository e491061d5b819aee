#include "contract/scenario/program.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/object_schema.h"
#include "base/read_keys.h"
#include "contract/scenario/program_keys.h"

namespace pacbench {
namespace {

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

bool is_program_alone(const Json& scenario) {
  const auto workload = scenario.is_object() ? scenario.find("workload") : scenario.end();
  return scenario.is_object() && workload != scenario.end() && workload->is_object() &&
         workload->contains("command");
}

Program read_program(ObjectReader reader, const std::string& source) {
  Program program;
  read_keys(reader, program);
  const auto folder = std::filesystem::absolute(source).parent_path();
  program.written_folder = reader.text_or("folder", ".");
  program.folder = (folder / program.written_folder).lexically_normal().string();
  reader.finish();
  return program;
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
  node["folder"] = program.written_folder;
  return node;
}

Json program_schema() { return object_schema<Program>({{"folder", schema::text()}}); }

}  // namespace pacbench
