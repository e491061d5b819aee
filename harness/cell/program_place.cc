#include "harness/cell/program_place.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/environment.h"
#include "base/errors.h"
#include "contract/catalogue/program_method.h"

namespace pacbench::cell {
namespace {

namespace fs = std::filesystem;

/// Whether this user, without capabilities, may use a file in the way of `others` (S_IXOTH).
bool allows(const struct stat& file, mode_t others) {
  if (file.st_uid == ::geteuid()) return (file.st_mode & (others << 6)) != 0;
  const bool in_group = file.st_gid == ::getegid();
  return (file.st_mode & (in_group ? others << 3 : others)) != 0;
}

/// The first folder on the way to `path`, itself included, that keeps this user out; empty where
/// none does.
fs::path closed_folder(const fs::path& path) {
  fs::path way;
  for (const auto& part : path) {
    way /= part;
    struct stat found {};
    if (::stat(way.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) continue;
    // Of a user the kernel knows more, such as access lists.
    const bool may_enter =
        ::geteuid() == 0 ? allows(found, S_IXOTH) : ::access(way.c_str(), X_OK) == 0;
    if (!may_enter) return way;
  }
  return {};
}

/// A path that ends in no separator, so that its last part is the folder's name.
std::string tidy(const std::string& folder) {
  const auto trimmed = folder.find_last_not_of('/');
  return trimmed == std::string::npos ? "/" : folder.substr(0, trimmed + 1);
}

void require_folder(const std::string& source, const std::string& pointer,
                    const std::string& folder) {
  std::error_code unreadable;
  const auto closed = closed_folder(folder);
  if (!closed.empty()) {
    throw ConfigError{
        source,
        {{pointer,
          fmt::format("found {}, in which the program is to run, but {} lets user {} not enter "
                      "(ranks have no special rights, of root neither); expected a folder that "
                      "this user may enter: move it, or allow it with chmod o+x {}",
                      folder, closed.string(), ::geteuid(), closed.string())}}};
  }
  if (fs::is_directory(folder, unreadable)) return;
  throw ConfigError{source,
                    {{pointer, fmt::format("found no folder {}, in which the program is to run; "
                                           "correct \"folder\" beside its \"command\"",
                                           folder)}}};
}

/// The PATH by which a rank of the method finds its program.
std::string search_path(const MethodEntry& method) {
  for (const auto& variable : environment_of(method, 1)) {
    if (variable.starts_with("PATH=")) return variable.substr(5);
  }
  return environment_value("PATH");
}

bool is_program_file(const fs::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

bool is_found(const std::string& word, const std::string& folder, const std::string& path) {
  if (word.find('/') != std::string::npos) return is_program_file(fs::path{folder} / word);
  std::istringstream folders{path};
  for (std::string each; std::getline(folders, each, ':');) {
    if (is_program_file(fs::path{each.empty() ? folder : each} / word)) return true;
  }
  return false;
}

}  // namespace

void require_program(const Scenario& scenario) {
  if (!scenario.program) return;
  const auto& program = *scenario.program;
  const std::string block = is_program_alone(scenario) ? "/workload" : "/program";
  require_folder(scenario.name, block + "/folder", tidy(program.folder));
  for (const auto& method : scenario.methods) {
    if (!is_program(method)) continue;
    const auto word = command_line(program, method, 1).front();
    const auto path = search_path(method);
    if (is_found(word, program.folder, path)) continue;
    const bool in_path = word.find('/') == std::string::npos;
    throw ConfigError{
        scenario.name,
        {{block + "/command/0",
          in_path ? fmt::format("found \"{}\", which is no program in PATH ({}); expected the "
                                "program to run, such as python3",
                                word, path)
                  : fmt::format("found \"{}\", which is no program that may be run (from {}); "
                                "expected one, or python3 and the file",
                                word, program.folder)}}};
  }
}

}  // namespace pacbench::cell
