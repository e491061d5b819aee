#include "contract/scenario/program.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/json/read_keys.h"

namespace pacbench {
namespace {

std::string replaced(std::string word, std::string_view from, const std::string& to) {
  for (auto at = word.find(from); at != std::string::npos; at = word.find(from, at)) {
    word.replace(at, from.size(), to);
    at += to.size();
  }
  return word;
}

/// The word with the cell's seed and the method's learning rate in the place of {seed} and {lr}.
std::string filled(std::string word, const MethodEntry& method, std::int64_t seed) {
  word = replaced(std::move(word), "{seed}", fmt::to_string(seed));
  return method.lr ? replaced(std::move(word), "{lr}", fmt::format("{:g}", *method.lr)) : word;
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
  for (const auto& word : program.command) words.push_back(filled(word, method, seed));
  for (const std::string word : method.choice.options.at("arguments")) {
    words.push_back(filled(word, method, seed));
  }
  return words;
}

std::vector<std::string> environment_of(const MethodEntry& method, std::int64_t seed) {
  std::vector<std::string> variables;
  if (method.lr) variables.push_back(fmt::format("PACBENCH_LR={:g}", *method.lr));
  for (const auto& [name, value] : method.choice.options.at("environment").items()) {
    variables.push_back(name + '=' + filled(value.get<std::string>(), method, seed));
  }
  return variables;
}

}  // namespace pacbench
